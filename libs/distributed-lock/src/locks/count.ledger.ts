import { RedisFailure } from '../redis/redis.failure.js';
import { instant, type Lease } from '../renewal/lease.js';
import type { AcquireReply, ReleaseReply } from '../scripts/reentrant.scripts.js';
import type { LockContext } from './lock.context.js';
import type { LockNames } from './lock.names.js';
import { askInTime, type TimelyAnswer } from './timely.answer.js';

/** Between attempts to bring Redis' count down, in ms. */
const REPAIR_PAUSE = 200;

/** What Redis is to have for a hold. */
export interface Account {
  /** Acquisitions that are neither released nor lost. */
  readonly count: number;
  /** The longest lease that one of them still has to have, in ms. */
  readonly lease: number;
}

/** Lowers a count in a way of its own: a tick's last step stores the outcome with it. */
export type Lowering = (count: number, lease: number) => Promise<ReleaseReply>;

/**
 * The hold count of one holder id in Redis. Its operations run one after the other, and each names the count that it is to
 * reach: an answer that got lost is made good by whatever comes next.
 */
export class CountLedger {
  #tail: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly context: LockContext,
    private readonly names: LockNames,
    private readonly lease: Lease,
    /** What Redis is to have now; undefined once the hold has ended, after which nothing is sent. */
    private readonly account: () => Account | undefined,
  ) {}

  /** Runs `operation` when those before it are done. */
  inTurn<T>(operation: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(operation);
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  /** Counts one more. To be called in turn. */
  async raise(count: number, lease: number): Promise<TimelyAnswer<AcquireReply>> {
    try {
      return await askInTime(lease, () =>
        this.context.kind.acquire(this.names.key, this.lease.holder, lease, count),
      );
    } catch (error) {
      this.#repairAfter(error);
      throw error;
    }
  }

  /** Leaves the acquisitions that remain, with the lease that they need (wire format D8). To be called in turn. */
  async lower({ count, lease }: Account, lowering: Lowering = this.#release): Promise<ReleaseReply> {
    const sent = instant();
    try {
      const reply = await lowering(count, lease);
      if (reply.kind === 'kept') this.lease.cap(sent, lease);
      return reply;
    } catch (error) {
      this.#repairAfter(error);
      throw error;
    }
  }

  readonly #release: Lowering = (count, lease) =>
    this.context.kind.release(this.names.key, this.lease.holder, count, lease, this.names.channel);

  /** Brings Redis' count down to ours once the lost command can do nothing any more. */
  #repairAfter(error: unknown): void {
    const failure = RedisFailure.from(error);
    if (failure.kind !== 'ambiguous') return;
    void this.context.outside(() => this.#repairOnce(failure.settled));
  }

  async #repairOnce(settled: Promise<void>): Promise<void> {
    await settled;
    this.#repair();
  }

  #repair(): void {
    const lowered = this.inTurn(async () => {
      const account = this.account();
      if (account !== undefined) await this.#release(account.count, account.lease);
    });
    lowered.catch(() => this.context.wheel.after(REPAIR_PAUSE, () => this.#repair()));
  }
}
