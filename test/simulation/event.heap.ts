import { BucketHeap } from '../../libs/distributed-lock/src/timing/bucket.heap.js';
import type { SimulatedProcess } from './simulated.process.js';

/** Something that happens to one process at one moment. */
export interface SimulatedEvent {
  at: number;
  /** The order of processes at one moment, which is drawn. */
  tie: number;
  /** The order of the events of one process, which is that of Node. */
  readonly sequence: number;
  readonly owner: SimulatedProcess;
  readonly what: string;
  run: (() => void) | undefined;
}

/** The events to come. */
export class EventHeap {
  readonly #moments = new BucketHeap();
  readonly #events = new Map<number, SimulatedEvent[]>();

  push(event: SimulatedEvent): void {
    const others = this.#events.get(event.at);
    if (others !== undefined) {
      others.push(event);
      return;
    }
    this.#events.set(event.at, [event]);
    this.#moments.push(event.at);
  }

  /** Takes the first event, if it is not later than `end`. */
  take(end: number): SimulatedEvent | undefined {
    const { first: moment = Infinity } = this.#moments;
    const events = this.#events.get(moment);
    if (events === undefined || moment > end) return undefined;
    const first = events.reduce((one, other) => (isBefore(other, one) ? other : one));
    events.splice(events.indexOf(first), 1);
    if (events.length === 0) {
      this.#events.delete(moment);
      this.#moments.pop();
    }
    return first;
  }
}

/** The order of two events of one moment. */
function isBefore(one: SimulatedEvent, other: SimulatedEvent): boolean {
  return one.tie === other.tie ? one.sequence < other.sequence : one.tie < other.tie;
}
