import { LockNotAcquiredError, LockUnavailableError } from '../errors/lock.errors.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { Subscription } from '../waiting/channel.subscriptions.js';
import { WakeSignal } from '../waiting/wake.signal.js';
import type { Waiter } from '../waiting/waiter.js';
import { GroupHandle } from './group.handle.js';
import type { LockContext } from './lock.context.js';
import { askQuorum, type QuorumWish, type RoundRefusal } from './quorum.round.js';
import type { AcquireRequest } from './reentry.js';
import { WaitingLine } from './waiting.line.js';

/** Pauses between rounds, in ms: after a split vote a random one, which doubles; after a message; while too few can be asked. */
const PAUSE = { split: 10, longestSplit: 160, afterMessage: 5, unreachable: 100 };

/** A lock on several servers as this process sees it: its waiters stand first come, first served, and the first asks for all. */
export class RedLine extends WaitingLine<GroupHandle> {
  readonly #signal: WakeSignal;
  #subscriptions: Subscription[] = [];
  #running = false;
  #splits = 0;

  constructor(
    context: LockContext,
    readonly id: string,
    private readonly wish: QuorumWish,
    private readonly idle: (line: RedLine) => void,
  ) {
    super(context, wish.name);
    this.#signal = new WakeSignal(context.wheel);
  }

  /**
   * Asks once.
   * @throws LockNotAcquiredError when others have it
   * @throws LockUnavailableError when too few servers can be asked
   */
  try(request: AcquireRequest): Promise<GroupHandle> {
    return this.during(async () => {
      const outcome = await askQuorum(this.wish, request);
      if (outcome instanceof GroupHandle) return outcome;
      request.signal?.throwIfAborted();
      if (this.#isReachable(outcome)) throw new LockNotAcquiredError(this.name, 0, outcome.busy[0]);
      throw this.#tooFew(outcome);
    });
  }

  protected entered(): void {
    this.#signal.wake();
    if (this.#running) return;
    this.#running = true;
    void this.context.outside(() => this.during(() => this.#run()));
  }

  protected left(): void {
    if (!this.isWaitedFor) this.#signal.wake();
  }

  protected settle(): void {
    if (this.isQuiet) this.idle(this);
  }

  async #run(): Promise<void> {
    for (let first = this.queue.first; first !== undefined; first = this.queue.first) {
      this.#signal.clear();
      const { leaseTime } = first.request;
      const outcome = await askQuorum(this.wish, { leaseTime, waitTime: 0, signal: undefined });
      if (outcome instanceof GroupHandle) await this.#deliver(first, outcome);
      else await this.#sleep(outcome);
    }
    this.#running = false;
    for (const subscription of this.#subscriptions.splice(0)) subscription.release();
  }

  async #deliver(waiter: Waiter<GroupHandle>, handle: GroupHandle): Promise<void> {
    this.#splits = 0;
    this.news.forget();
    if (waiter.isDone) {
      await handle.unlock().catch(() => undefined);
      return;
    }
    this.queue.remove(waiter);
    waiter.grant(handle);
  }

  async #sleep(refusal: RoundRefusal): Promise<void> {
    const [busy] = refusal.busy;
    if (!this.#isReachable(refusal)) {
      this.heard(new RedisFailure('unsent', this.#why(refusal)));
      await this.#signal.sleep(PAUSE.unreachable * (0.75 + 0.5 * Math.random()));
      return;
    }
    this.heard({ kind: 'busy', ttl: busy?.ttl ?? -1, holder: busy?.holder ?? 'others' });
    if (refusal.granted > 0) {
      // Others asked at the same time, and nobody got enough: who is first now is a matter of luck.
      await this.#signal.sleep(Math.random() * Math.min(PAUSE.split * 2 ** this.#splits, PAUSE.longestSplit));
      this.#splits = Math.min(this.#splits + 1, 8);
      return;
    }
    if (this.#listen()) return;
    const ttls = refusal.busy.map(({ ttl }) => ttl ?? -1).filter((ttl) => ttl > 0);
    const { watchdogTimeout } = this.context.settings;
    await this.#signal.sleep(Math.min(watchdogTimeout / 3, ...ttls.map((ttl) => ttl + 1)));
    // The contenders of all processes hear the same message: they should not ask in the same moment.
    const jitter = Math.random() * PAUSE.afterMessage;
    await new Promise<void>((resolve) => this.context.wheel.after(jitter, resolve));
  }

  /** @returns whether it has only now begun to listen: the release may have come before, so ask once more */
  #listen(): boolean {
    if (this.#subscriptions.length > 0) return false;
    this.#subscriptions = this.wish.servers.map(({ engine }) =>
      engine.context.subscriptions.subscribe(this.wish.targetOn(engine).channel, () => this.#signal.wake()),
    );
    return true;
  }

  #isReachable({ reachable }: RoundRefusal): boolean {
    return reachable >= this.wish.quorum;
  }

  #why({ reachable, cause }: RoundRefusal): string {
    const { servers, quorum } = this.wish;
    return `${reachable} of ${servers.length} servers could be asked, and ${quorum} are needed (${cause instanceof Error ? cause.message : String(cause)})`;
  }

  #tooFew(refusal: RoundRefusal): LockUnavailableError {
    return new LockUnavailableError(
      this.name,
      `Lock "${this.name}" was not granted: ${this.#why(refusal)}.`,
      {
        cause: refusal.cause,
      },
    );
  }
}
