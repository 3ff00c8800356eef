import type { UnlockOutcome } from '../contracts/lock.contract.js';
import { LockNotAcquiredError, type HeldBy } from '../errors/lock.errors.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { Lease } from '../renewal/lease.js';
import type { Busy } from '../scripts/reentrant.scripts.js';
import { now } from '../timing/monotonic.clock.js';
import { Waiter, type WaitRequest } from '../waiting/waiter.js';
import { WaiterQueue } from '../waiting/waiter.queue.js';
import { Attempt, type RawGrant } from './attempt.js';
import { Contender, type Contest } from './contender.js';
import type { Grant } from './grant.js';
import { canShare, HandOver } from './hand.over.js';
import type { Lowering } from './count.ledger.js';
import type { HoldKeeper, TickRun } from './hold.contract.js';
import { Hold } from './hold.js';
import { LineNews } from './line.news.js';
import { LineRelease } from './line.release.js';
import { unavailable, type LockContext } from './lock.context.js';
import type { LockNames } from './lock.names.js';

/** One lock as this process sees it: who of us holds it, and who of us waits, first come, first served. */
export class LockLine implements Contest, HoldKeeper<Hold> {
  readonly #queue = new WaiterQueue<Grant>();
  readonly #contender: Contender;
  readonly #handOver: HandOver;
  readonly #release: LineRelease;
  readonly #news: LineNews;
  #hold: Hold | undefined;
  #working = 0;

  constructor(
    private readonly context: LockContext,
    readonly names: LockNames,
    private readonly idle: (line: LockLine) => void,
  ) {
    this.#contender = new Contender(context, names, this);
    this.#news = new LineNews(names.name);
    this.#release = new LineRelease(context, names);
    this.#handOver = new HandOver(context.settings.handOver);
  }

  /** The hold of this process, if it has the lock. */
  get hold(): Hold | undefined {
    return this.#hold;
  }

  get isWaitedFor(): boolean {
    return this.#queue.size > 0;
  }

  /** Asks once. @returns the grant, or who is in the way */
  try(leaseTime: number | undefined): Promise<Grant | HeldBy> {
    return this.during(async () => {
      if (this.#hold?.isCertain === true) return this.#news.heldBy(this.#hold);
      const attempt = new Attempt(this.context, this.names);
      const news = await attempt.make(leaseTime);
      attempt.abandon();
      if (news instanceof RedisFailure) throw unavailable(this.names.name, news);
      if (news.kind === 'busy') return { holder: news.holder };
      return this.adopt(this.#leaseOf(news)).admit(leaseTime, news.sent.at);
    });
  }

  /** Stands in line. Rejects when the time is over, or with the signal's reason. */
  wait(request: WaitRequest): Promise<Grant> {
    const { maxWaiters, warnAfter } = this.context.settings;
    if (request.signal?.aborted === true) return Promise.reject(request.signal.reason);
    if (this.#queue.size >= maxWaiters) {
      const heldBy = this.#news.heldBy(this.#hold);
      return Promise.reject(new LockNotAcquiredError(this.names.name, 0, heldBy, 'TOO_MANY_WAITERS'));
    }
    const timeUp = (waiter: Waiter<Grant>) => this.#news.timeUp(waiter, this.#hold);
    const waiter = new Waiter<Grant>(request, this.context.wheel, (gone) => this.#left(gone), timeUp);
    waiter.warnAfter(warnAfter, () => this.context.notices.post(this.#news.longWait(waiter, this.#hold)));
    this.#queue.push(waiter);
    // A waiter whose time will be over must not be told by what was heard before it came: Redis may be away by now.
    const wantsNews = request.waitTime !== Infinity && this.#news.isStale;
    if (this.#hold === undefined && (wantsNews || this.#queue.first === waiter)) this.#contender.kick();
    return waiter.granted;
  }

  /** Takes over what Redis has granted. */
  adopt(lease: Lease, maxHold?: number, run?: TickRun): Hold {
    const former = this.#hold;
    const hold = new Hold(this.context, this, this.names, lease, maxHold, run);
    this.#hold = hold;
    // Redis gave the lock to a new holder id: the former one has nothing any more, whatever was still believed here.
    former?.gone();
    return hold;
  }

  /** Refuses waiters for whom `refuse` has an error. */
  refuse(refuse: (request: WaitRequest) => Error | undefined): void {
    for (const waiter of this.#queue.snapshot()) {
      const error = refuse(waiter.request);
      if (error !== undefined) waiter.refuse(error);
    }
  }

  next(): WaitRequest | undefined {
    return this.#hold === undefined ? this.#queue.first?.request : undefined;
  }

  heard(news: Busy | RedisFailure): void {
    this.#news.hear(news);
    if (news instanceof RedisFailure && !news.passing) this.refuse(() => unavailable(this.names.name, news));
  }

  /** Delivers a grant with the lease that its waiter wants. */
  async granted(raw: RawGrant): Promise<void> {
    this.#news.forget();
    const lease = this.#leaseOf(raw);
    const first = this.#queue.first;
    const fits = first === undefined || first.request.leaseTime === raw.leaseTime;
    if (fits) this.#deliver(lease, raw.leaseTime, raw.sent.at);
    // Nobody asked what becomes of the grant that is exchanged.
    else await this.#pass(lease, first).catch(() => undefined);
  }

  free(hold: Hold, finish: Lowering | undefined): Promise<UnlockOutcome> {
    if (this.#hold === hold) this.#hold = undefined;
    this.#news.freed();
    const first = this.#queue.first;
    if (finish !== undefined || first === undefined || !this.#handOver.next())
      return this.during(() => this.#free(hold, finish));
    if (!hold.isSingle || !canShare(hold.lease, this.context.settings.watchdogTimeout, first.request))
      return this.during(() => this.#pass(hold.lease, first));
    this.#deliver(hold.lease, undefined, now());
    return Promise.resolve('released');
  }

  lost(hold: Hold): void {
    if (this.#hold !== hold) return;
    this.#hold = undefined;
    this.#news.freed();
    this.#handOver.begin();
    if (this.isWaitedFor) this.#contender.kick();
    this.#settle();
  }

  /** Gives the lock to the first waiter; frees it when none is left. */
  #deliver(lease: Lease, leaseTime: number | undefined, sentAt: number): void {
    const waiter = this.#queue.shift();
    if (waiter === undefined) {
      void this.context.retirement.retire({ names: this.names, holder: lease.holder, lease: lease.longest });
      return;
    }
    waiter.grant(this.adopt(lease).admit(leaseTime, sentAt));
    if (!this.isWaitedFor) this.#contender.rest();
  }

  async #pass(from: Lease, waiter: Waiter<Grant>): Promise<UnlockOutcome> {
    const { outcome, news } = await this.#release.pass(from, waiter.request.leaseTime);
    if (news?.kind === 'granted') {
      await this.granted(news);
    } else {
      if (news !== undefined) this.heard(news);
      this.#contender.kick();
    }
    return await outcome;
  }

  async #free({ lease }: Hold, finish: Lowering | undefined): Promise<UnlockOutcome> {
    this.#handOver.begin();
    const before = this.#contender.messages;
    const { outcome, others } = await this.#release.free(lease, finish);
    if (this.isWaitedFor && others) this.#contender.kickAfterOthers(before);
    else if (this.isWaitedFor) this.#contender.kick();
    return await outcome;
  }

  #left(waiter: Waiter<Grant>): void {
    this.#queue.remove(waiter);
    if (!this.isWaitedFor) this.#contender.rest();
    this.#settle();
  }

  #leaseOf({ holder, leaseTime, sent }: RawGrant): Lease {
    return new Lease(this.names.key, holder, leaseTime ?? this.context.settings.watchdogTimeout, sent);
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#working += 1;
    try {
      return await work();
    } finally {
      this.#working -= 1;
      this.#settle();
    }
  }

  #settle(): void {
    if (this.#working === 0 && this.#hold === undefined && !this.isWaitedFor) this.idle(this);
  }
}
