import type { CurrentLock } from '../contracts/lock.contract.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { Lease } from '../renewal/lease.js';
import type { ReleaseReply } from '../scripts/lock.replies.js';
import type { ClaimReply, JobKeys, TickScripts } from '../scripts/tick.scripts.js';
import { now } from '../timing/monotonic.clock.js';
import type { LockEngine } from './lock.engine.js';
import type { LockTarget } from './lock.target.js';

/** Pause between attempts to store the outcome while Redis does not answer, in ms. */
const PAUSE = 100;

/** What the error message of a failed run is cut to: a record is read by people. */
const LONGEST_REASON = 500;

/** A tick that was granted to this process: runs under the job's lock, and stores how it ended with the release. */
export class ClaimedTick {
  #outcome: 'completed' | 'failed' = 'completed';
  #reason = '';

  constructor(
    private readonly engine: LockEngine,
    private readonly scripts: TickScripts,
    private readonly target: LockTarget,
    private readonly keys: JobKeys,
    private readonly lease: Lease,
    private readonly grant: ClaimReply & { kind: 'granted' },
  ) {}

  /** Takes the hold over; what it gives runs the work, once. */
  begin(
    sentAt: number,
    maxHold = this.engine.context.settings.tickMaxHold,
  ): <T>(work: (lock: CurrentLock) => T | PromiseLike<T>) => Promise<T> {
    const { tick, attempt, token } = this.grant;
    const run = {
      tick,
      attempt,
      token,
      finish: (count: number, lease: number) => this.#finish(count, lease),
    };
    const handle = this.engine.line(this.target).adopt(this.lease, maxHold, run).admit(undefined, sentAt);
    return async (work) => {
      try {
        return await handle.run(() => work(handle));
      } catch (error) {
        this.#outcome = 'failed';
        this.#reason = (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_REASON);
        throw error;
      } finally {
        // The work's own result or error stands; what became of the release is logged where it is known.
        await handle.unlock().catch(() => undefined);
      }
    };
  }

  /** An outcome is worth asking for until the lease is over; repeating it is safe. */
  async #finish(count: number, lease: number): Promise<ReleaseReply> {
    const { wheel, notices } = this.engine.context;
    const { holder } = this.lease;
    const finish = {
      holder,
      token: this.grant.token,
      count,
      lease,
      channel: this.target.channel,
      outcome: this.#outcome,
      reason: this.#reason,
    };
    for (;;) {
      try {
        return await this.scripts.finish(this.keys, finish);
      } catch (error) {
        const failure = RedisFailure.from(error);
        if (!failure.passing || now() + PAUSE >= this.lease.deadline) throw failure;
        notices.post({ kind: 'release-delayed', lock: this.target.name, holder, why: failure.message });
        await failure.settled;
        await wheel.pause(PAUSE);
      }
    }
  }
}
