import type { TickCall } from '../contracts/tick.frame.js';
import type { LockHandle } from '../contracts/lock.contract.js';
import { LockUnavailableError } from '../errors/lock.errors.js';
import { criticalSection } from '../locks/critical.section.js';
import type { LockService } from '../service/lock.service.js';

/** A `@Timeout` without `minInterval`: every instance runs it, each in its turn under the plain lock. */
export class TurnTick implements TickCall {
  readonly #leaving = new AbortController();

  constructor(
    private readonly locks: LockService,
    private readonly job: string,
  ) {}

  async run(work: () => unknown): Promise<unknown> {
    const handle = await this.#turn();
    return handle === undefined ? undefined : await criticalSection(handle, () => work());
  }

  /** Whoever still waits for its turn leaves the line. */
  close(): void {
    this.#leaving.abort();
  }

  async #turn(): Promise<LockHandle | undefined> {
    const { signal } = this.#leaving;
    try {
      return await this.locks.getLock(this.job).lock({ waitTime: Infinity, signal });
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!(error instanceof LockUnavailableError)) throw error;
      this.locks.engine.context.notices.post({ kind: 'tick-unclaimed', lock: this.job, why: error.message });
      return undefined;
    }
  }
}
