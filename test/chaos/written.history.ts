import type { LockSort } from './chaos.types.js';
import type { History, RunnerEvent, Stamped, Told, WorkerEvent } from './history.js';
import { marginOf, MS } from './violation.js';

/** A hold as a test tells it; instants in ms. */
export interface WrittenHold {
  readonly sort?: LockSort;
  readonly lock?: string;
  /** Instead of one: of a multi lock. */
  readonly locks?: readonly string[];
  readonly worker?: number;
  readonly wanted?: number;
  readonly wait?: number;
  readonly sent?: number;
  readonly granted?: number;
  readonly holder?: string;
  readonly token?: number;
  /** A fixed lease; the watchdog's of 1000 ms without it. */
  readonly lease?: number;
  readonly ended?: number;
  readonly why?: 'unlock' | 'aborted' | 'not held';
  readonly released?: number;
  readonly outcome?: string;
  readonly refused?: number;
  readonly permits?: number;
  readonly room?: number;
}

/** A history, written by hand. */
export class WrittenHistory {
  readonly #told: Told[] = [];
  readonly #watched: Stamped<RunnerEvent>[] = [];
  #ops = 0;

  /** @returns its name in violations */
  hold(facts: WrittenHold): string {
    const {
      sort = 'reentrant',
      lock = 'a',
      locks = [lock],
      worker = 0,
      lease = 0,
      wait = 5000,
      permits,
      room,
    } = facts;
    const { granted, ended, released, refused } = facts;
    this.#ops += 1;
    const op = this.#ops;
    const first = facts.wanted ?? facts.sent ?? granted ?? 0;
    const write = (at: number, event: WorkerEvent) => this.tell(worker, at, event);
    write(first, { kind: 'wanted', op, sort, locks, lease, wait, permits, room });
    const ttl = lease === 0 ? 1000 : lease;
    const sent = facts.sent ?? (granted ?? 0) - 1;
    const deadline = (sent + ttl) * MS - marginOf(ttl);
    if (granted !== undefined) {
      const holder = facts.holder ?? `holder:${op}`;
      const token = facts.token === undefined ? undefined : `${facts.token}`;
      write(granted, { kind: 'granted', op, sent: sent * MS, holder, deadline, ttl, token });
    }
    if (ended !== undefined) {
      const lastHeld = Math.min(ended * MS, deadline);
      write(ended, { kind: 'ended', op, why: facts.why ?? 'unlock', deadline, lastHeld });
    }
    if (released !== undefined)
      write(released, { kind: 'released', op, outcome: facts.outcome ?? 'released' });
    if (refused !== undefined) write(refused, { kind: 'refused', op, code: 'BUSY' });
    return `${worker}.0.${op}`;
  }

  tell(worker: number, at: number, event: WorkerEvent): void {
    this.#told.push({ ...event, at: at * MS, worker, life: 0 });
  }

  watch(at: number, event: RunnerEvent): void {
    this.#watched.push({ ...event, at: at * MS });
  }

  fault(from: number, to: number, fault: string, lossy = false): void {
    this.watch(from, { kind: 'fault', fault, note: '', to: to * MS, lossy });
  }

  /** What the last hold's process told beside it. */
  get lastOp(): number {
    return this.#ops;
  }

  get history(): History {
    const byTime = (one: { at: number }, other: { at: number }) => one.at - other.at;
    return { told: this.#told.toSorted(byTime), watched: this.#watched.toSorted(byTime) };
  }
}
