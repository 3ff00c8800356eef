import type { Timer } from '../timing/timer.wheel.js';
import type { LockContext } from '../core/lock.context.js';
import type { LockTarget } from '../core/lock.target.js';

/** How often a process reports its waiters as alive, in ms: three times within the time after which a silent waiter is dropped. */
const PERIOD = 1000;

/** The least time between two of them, in ms: the head of the queue may be about to be given up. */
const FLOOR = 50;

/** What a heartbeat asks, and notifies. */
interface HeartbeatOwner {
  /** The holder ids of this process that wait for the lock or hold it, in brief. */
  readonly live: readonly (string | number)[];
  /** The holder in Redis is of this process. */
  isHeld(holder: string): void;
}

/**
 * Reports the waiters of this process in the queue of a lock as alive. The same call removes dead waiters from the queue, and notifies its
 * head, in case the release was sent to a dead waiter. A failover can lose that a waiter has left, while its process lives on: only the
 * process knows that, and so it names those that still wait.
 */
export class FairHeartbeat {
  #timer: Timer | undefined;
  /** Counts starts and stops: a reply that comes later belongs to an earlier start. */
  #generation = 0;
  #running = false;
  /** A heartbeat outside the rhythm is under way. */
  #isRecalling = false;

  constructor(
    private readonly context: Pick<LockContext, 'ids' | 'outside' | 'wheel'>,
    private readonly target: LockTarget,
    private readonly owner: HeartbeatOwner,
  ) {}

  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.context.outside(() => this.#next(PERIOD, (this.#generation += 1)));
  }

  /** Sends one now, which {@link stop} does not cancel: the caller that has found a waiter that has left may be over itself. */
  recall(): void {
    if (this.#isRecalling) return;
    this.#isRecalling = true;
    this.context.outside(() => void this.#report().then(() => (this.#isRecalling = false)));
  }

  stop(): void {
    this.#running = false;
    this.#generation += 1;
    this.context.wheel.cancel(this.#timer);
  }

  #next(delay: number, generation: number): void {
    this.#timer = this.context.wheel.after(delay, () => void this.#send(generation));
  }

  async #send(generation: number): Promise<void> {
    const next = await this.#report();
    if (this.#generation === generation) this.#next(next, generation);
  }

  /** @returns in how many ms the next one is due */
  async #report(): Promise<number> {
    const { key, channel, kind } = this.target;
    const { client, last } = this.context.ids;
    try {
      const reply = await kind.scripts.heartbeat?.({ key, channel, client, last, live: this.owner.live });
      if (reply?.holder !== undefined) this.owner.isHeld(reply.holder);
      if (reply !== undefined && reply.next >= 0) return Math.min(PERIOD, Math.max(reply.next, FLOOR));
    } catch {
      // Redis is away, or refuses: the waiters' own requests report that, and the next heartbeat comes in time.
    }
    return PERIOD;
  }
}
