import { errorText } from '../errors/error.text.js';
import { LockUnavailableError } from '../errors/lock.errors.js';
import type { HoldHandle } from '../holds/handle.js';
import type { LockEngine } from '../locks/lock.engine.js';
import type { LockTarget } from '../core/lock.target.js';
import { isTransient } from '../core/transient.refusal.js';

/** Waits for the lock of a leadership, as any other waiter of that lock. */
export class Campaign {
  /**
   * Resolves when Redis has answered whether the lock is free, or could not be reached, or the campaign has ended: whether this candidate
   * leads is then known as well as it can be.
   */
  readonly requested: Promise<void>;
  #wasRequested: () => void = () => undefined;

  constructor(
    private readonly engine: LockEngine,
    private readonly target: LockTarget,
    /** Ends the campaign; a shutdown of the application ends it as well. */
    private readonly leaving: AbortController,
  ) {
    this.requested = new Promise((resolve) => (this.#wasRequested = resolve));
    leaving.signal.addEventListener('abort', () => this.#wasRequested(), { once: true });
  }

  /**
   * @returns undefined when the campaign was refused, which is logged, or has ended; waiting through an outage is no refusal. The candidate
   * may have left by then, and has to give back the grant
   */
  async win(): Promise<HoldHandle | undefined> {
    try {
      return (await this.#askOnce()) ?? (await this.#ask(Infinity));
    } catch (error) {
      if (error instanceof LockUnavailableError && error.code === 'SHUTTING_DOWN') this.leaving.abort();
      if (!this.leaving.signal.aborted) this.#notify(error);
      return undefined;
    }
  }

  /** Only a request without a wait shows when it is answered. */
  async #askOnce(): Promise<HoldHandle | undefined> {
    try {
      return await this.#ask(0);
    } catch (error) {
      if (isTransient(error)) return undefined;
      throw error;
    } finally {
      this.#wasRequested();
    }
  }

  #ask(waitTime: number): Promise<HoldHandle> {
    return this.engine.acquire(this.target, { waitTime, leaseTime: undefined, signal: this.leaving.signal });
  }

  #notify(error: unknown): void {
    const why = errorText(error);
    this.engine.context.notices.post({ kind: 'campaign-failed', lock: this.target.name, why });
  }
}
