import { createHash } from 'node:crypto';
import { EventHeap, type SimulatedEvent } from './event.heap.js';
import type { HoldHistory } from './hold.history.js';
import { hashOf } from './seeded.dice.js';
import { SimulatedProcess } from './simulated.process.js';

/** Node's own, before anything is simulated: after each event it lets all microtasks and ticks run. */
const { setImmediate: afterMicrotasks } = globalThis;

/** One line of what happened. */
export interface TraceLine {
  readonly event: number;
  readonly at: number;
  readonly owner: string;
  readonly text: string;
}

/** What is written down of a run. */
export interface RunRecords {
  /** Receives each line of the trace. */
  readonly trace?: ((line: TraceLine) => void) | undefined;
  readonly history?: HoldHistory | undefined;
}

/**
 * The one scheduler of a simulated fleet. Each event belongs to one process, and so does what it starts: the microtasks and ticks that run
 * before the next event. The same seed gives the same events in the same order.
 */
export class World {
  /** The world's own process, for faults and checks. */
  readonly outside: SimulatedProcess;
  /** In ms. */
  now = 0;
  /** The process whose event is happening. */
  current: SimulatedProcess;
  /** The number of events so far. */
  events = 0;
  /** Called after each event. */
  check: (() => void) | undefined;
  /** What callers believe, where a judge is to read it. */
  readonly history: HoldHistory | undefined;
  readonly #trace: ((line: TraceLine) => void) | undefined;
  readonly #heap = new EventHeap();
  readonly #hash = createHash('sha256');
  #sequence = 0;

  constructor(
    readonly seed: number,
    { trace, history }: RunRecords = {},
  ) {
    this.#trace = trace;
    this.history = history;
    history?.follow(this);
    this.outside = new SimulatedProcess(seed, 'world');
    this.current = this.outside;
  }

  /** A text for all that happened so far. */
  get hash(): string {
    return this.#hash.copy().digest('hex');
  }

  /** Has something happen to a process, at a moment of the world's clock. */
  at(owner: SimulatedProcess, at: number, what: string, run: () => void): SimulatedEvent {
    this.#sequence += 1;
    const moment = Math.max(at, this.now);
    const event = { at: moment, tie: this.#tieOf(owner, moment), sequence: this.#sequence, owner, what, run };
    this.#heap.push(event);
    return event;
  }

  after(owner: SimulatedProcess, delay: number, what: string, run: () => void): SimulatedEvent {
    return this.at(owner, this.now + delay, what, run);
  }

  cancel(event: SimulatedEvent | undefined): void {
    if (event !== undefined) event.run = undefined;
  }

  /** Notes something that happened: it is a part of the hash. */
  note(text: string, owner = this.current): void {
    const line = { event: this.events, at: this.now, owner: owner.name, text };
    this.#hash.update(`${line.at}|${line.owner}|${text}\n`);
    this.#trace?.(line);
  }

  /** Runs something as code of a process, such as a look at its clocks. */
  as<T>(owner: SimulatedProcess, run: () => T): T {
    const before = this.current;
    this.current = owner;
    try {
      return run();
    } finally {
      this.current = before;
    }
  }

  /** Lets everything happen until a moment, or until there is nothing left. */
  async runUntil(end: number): Promise<void> {
    for (let first = this.#heap.take(end); first !== undefined; first = this.#heap.take(end)) {
      if (first.run === undefined || first.owner.isDead) continue;
      if (first.at < first.owner.stoppedUntil) {
        first.at = first.owner.stoppedUntil;
        first.tie = this.#tieOf(first.owner, first.at);
        this.#heap.push(first);
        continue;
      }
      await this.#happen(first, first.run);
    }
    this.now = Math.max(this.now, end);
  }

  async #happen(event: SimulatedEvent, run: () => void): Promise<void> {
    this.now = event.at;
    this.current = event.owner;
    this.events += 1;
    if (event.what !== '') this.note(event.what);
    run();
    await new Promise((resolve) => void afterMicrotasks(resolve));
    this.current = this.outside;
    this.check?.();
    this.history?.look();
  }

  /** Two processes that have something to do at one moment do it in an order that is drawn anew for each moment. */
  #tieOf(owner: SimulatedProcess, at: number): number {
    return hashOf(`${this.seed}/${owner.name}/${at}`);
  }
}
