import type { LockHandle } from 'nestjs-distributed-lock';
import { machineTime, type HistoryWriter, type WorkerEvent } from '../../chaos/history.js';
import { leaseFacts } from './lease.facts.js';
import { standStill } from '../../support/stand.still.js';

/** The pace of the looks, in ms. */
const PACE = 20;

/** Later than that a look is a stall, in ms. */
const STALL = 40;

interface Belief {
  readonly op: number;
  /** What has no lease is believed in until it is given back. */
  readonly handle: LockHandle | undefined;
  deadline: number | null;
  lastHeld: number;
}

/** Who believes in what in this process: looks at every hold again and again, and writes when something has changed. */
export class BeliefBook {
  readonly #open = new Map<number, Belief>();
  /** From `performance.now()` in ms to the machine's clock in µs. */
  readonly #offset = clockOffset();
  readonly #timer: NodeJS.Timeout;
  #last = performance.now();

  constructor(private readonly history: HistoryWriter<WorkerEvent>) {
    this.#timer = setInterval(() => this.look(), PACE);
  }

  /** A grant was delivered: the first instruction of its critical section. */
  begin(op: number, handle: LockHandle | undefined, wanted: number): void {
    const received = machineTime();
    const facts = handle === undefined ? undefined : leaseFacts(handle);
    const sent = facts?.sent === undefined ? wanted : Math.max(wanted, this.#micros(facts.sent));
    const deadline = facts === undefined ? null : this.#micros(facts.deadline);
    const at = this.history.write(
      {
        kind: 'granted',
        op,
        sent: Math.min(sent, received),
        holder: handle?.holder ?? '',
        deadline,
        ttl: facts?.ttl ?? 0,
        token: handle?.token?.toString(),
      },
      received,
    );
    this.#open.set(op, { op, handle, deadline, lastHeld: at });
  }

  /** The belief ends; only the first reason counts. */
  end(op: number, why: Extract<WorkerEvent, { kind: 'ended' }>['why'], reason?: string): void {
    const belief = this.#open.get(op);
    if (belief === undefined) return;
    this.#open.delete(op);
    const { handle, lastHeld } = belief;
    const deadline = handle === undefined ? null : this.#micros(leaseFacts(handle).deadline);
    this.history.write({ kind: 'ended', op, why, deadline, lastHeld, reason });
  }

  /** Keeps the event loop busy, and tells what the holders find at their first instruction after that. */
  block(ms: number): void {
    standStill(ms);
    this.look();
  }

  look(): void {
    const now = performance.now();
    const gap = now - this.#last;
    this.#last = now;
    const hasStalled = gap > STALL + PACE;
    for (const { op, handle } of hasStalled ? [...this.#open.values()] : []) {
      if (handle === undefined) continue;
      // Before the look: it may be stopped again in between.
      const at = machineTime();
      const { isHeld } = handle;
      const deadline = this.#micros(leaseFacts(handle).deadline);
      this.history.write({ kind: 'looked', op, gap: Math.round(gap * 1000), isHeld, deadline }, at);
    }
    if (hasStalled) this.history.write({ kind: 'stalled', gap: Math.round(gap * 1000) });
    for (const belief of [...this.#open.values()]) this.#check(belief);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #check(belief: Belief): void {
    const { handle, op } = belief;
    if (handle === undefined) return;
    const at = machineTime();
    if (!handle.isHeld) {
      // In doubt after a suspend it may be believed in again.
      if (!isOpen(handle)) this.end(op, 'not held');
      return;
    }
    belief.lastHeld = at;
    const deadline = this.#micros(leaseFacts(handle).deadline);
    if (deadline === belief.deadline) return;
    belief.deadline = deadline;
    this.history.write({ kind: 'deadline', op, deadline });
  }

  #micros(performanceNow: number): number {
    return Math.round(performanceNow * 1000 + this.#offset);
  }
}

/** Neither unlocked nor lost, by the library's own books. */
function isOpen(handle: LockHandle): boolean {
  const members: unknown = Reflect.get(handle, 'members');
  if (Array.isArray(members))
    return members.every((member) => Reflect.get(Object(member), 'isOpen') === true);
  return Reflect.get(handle, 'isOpen') === true;
}

/** Of several tries the one in which the process was not interrupted. */
function clockOffset(): number {
  const tries = Array.from({ length: 20 }, () => {
    const before = performance.now();
    const at = machineTime();
    return { took: performance.now() - before, offset: at - before * 1000 };
  });
  return tries.reduce((best, other) => (other.took < best.took ? other : best)).offset;
}
