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

/** The events to come, the first one first. */
export class EventHeap {
  readonly #events: SimulatedEvent[] = [];

  get size(): number {
    return this.#events.length;
  }

  get first(): SimulatedEvent | undefined {
    return this.#events[0];
  }

  push(event: SimulatedEvent): void {
    const events = this.#events;
    let at = events.length;
    events.push(event);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = events[parent];
      if (above === undefined || !isBefore(event, above)) break;
      events[at] = above;
      at = parent;
    }
    events[at] = event;
  }

  pop(): SimulatedEvent | undefined {
    const events = this.#events;
    const [first] = events;
    const last = events.pop();
    if (events.length > 0 && last !== undefined) this.#sink(last);
    return first;
  }

  #sink(event: SimulatedEvent): void {
    const events = this.#events;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      let below = events[child];
      if (below === undefined) break;
      const right = events[child + 1];
      if (right !== undefined && isBefore(right, below)) {
        child += 1;
        below = right;
      }
      if (!isBefore(below, event)) break;
      events[at] = below;
      at = child;
    }
    events[at] = event;
  }
}

function isBefore(one: SimulatedEvent, other: SimulatedEvent): boolean {
  if (one.at !== other.at) return one.at < other.at;
  return one.tie === other.tie ? one.sequence < other.sequence : one.tie < other.tie;
}
