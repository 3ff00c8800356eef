import { LockLostError } from '../errors/lock.errors.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { Lease } from '../renewal/lease.js';
import type { Upkeep } from '../renewal/watchdog.js';
import type { UnlockOutcome } from '../contracts/lock.contract.js';
import type { HoldNotice } from '../events/notice.board.js';
import { now } from '../timing/monotonic.clock.js';
import { CountLedger, type Account, type Counted } from './count.ledger.js';
import { GrantBook } from './grant.book.js';
import { Grant, type GrantingHold } from './grant.js';
import type { HoldKeeper, TickRun } from './hold.contract.js';
import { HoldTimers } from './hold.timers.js';
import { LeaseKeeper, type LeaseOwner } from './lease.keeper.js';
import { unavailable, type LockContext } from './lock.context.js';
import type { LockTarget } from './lock.target.js';

/** One holder's acquisitions of one lock. Every operation goes through it, one after the other. A hold that ended sends nothing. */
export class Hold implements GrantingHold, LeaseOwner, Counted {
  readonly owner: object;
  readonly id: string;
  /** Epoch ms of the grant, for messages. */
  readonly since = Date.now();
  readonly #grants: GrantBook;
  readonly #timers: HoldTimers;
  readonly #ledger: CountLedger;
  readonly #keeper: LeaseKeeper;
  #token: bigint | undefined;
  #ended = false;

  constructor(
    private readonly context: LockContext,
    private readonly keeper: HoldKeeper<Hold>,
    readonly target: LockTarget,
    readonly lease: Lease,
    maxHold: number = context.settings.maxHold,
    readonly run?: TickRun | undefined,
  ) {
    this.owner = context;
    this.id = target.id;
    this.#grants = new GrantBook(context.settings.watchdogTimeout);
    this.#ledger = new CountLedger(context, target, lease, this);
    this.#keeper = new LeaseKeeper(lease, context.watchdog, this);
    this.#timers = new HoldTimers(context.wheel, context.settings.warnAfter, maxHold, {
      check: () => this.rearm(),
      warn: (held) => this.#post({ kind: 'long-hold', held }),
      end: () => {
        this.#post({ kind: 'overheld', maxHold });
        this.lose(`it was held for longer than maxHold (${maxHold} ms)`, 'MAX_HOLD');
      },
    });
  }

  /** Whether a scope may re-enter it. In doubt it may: the script will tell. */
  get isLive(): boolean {
    this.checkDeadlines();
    return !this.#ended;
  }

  /** Whether its holder id may go on to another hold: Redis surely counts nothing but the acquisition that is released. */
  get isSingle(): boolean {
    return this.#ledger.isSingle;
  }

  /** Whether it surely holds, so that nobody need ask Redis. */
  get isCertain(): boolean {
    return this.isLive && this.isBelieved && this.lease.state !== 'unknown';
  }

  /** Whether its lease may be believed in: not after a suspend, until Redis has confirmed it. */
  get isBelieved(): boolean {
    return this.#keeper.isBelieved;
  }

  get token(): bigint | undefined {
    return this.#token ?? this.run?.token;
  }

  /** Adds an acquisition that Redis has counted. */
  admit(leaseTime: number | undefined, sentAt: number, token?: bigint): Grant {
    const grant = new Grant(this, leaseTime, sentAt);
    this.#grants.add(grant);
    this.#token = token ?? this.#token;
    this.rearm();
    return grant;
  }

  /** @returns undefined when the hold has ended meanwhile: the caller then asks as anybody would */
  reenter(leaseTime: number | undefined, isWanted: () => boolean): Promise<Grant | undefined> {
    return this.#ledger.inTurn(async () => {
      if (!this.isLive || !isWanted()) return undefined;
      const ttl = leaseTime ?? this.context.settings.watchdogTimeout;
      const { reply, sent } = await this.#ledger.raise(this.#grants.size + 1, ttl);
      if (reply.kind !== 'granted') this.gone();
      if (this.#ended || reply.kind !== 'granted') return undefined;
      this.lease.raise(sent, ttl);
      return this.admit(leaseTime, sent.at, reply.token);
    });
  }

  release(grant: Grant): Promise<UnlockOutcome> {
    return this.#ledger.inTurn(async () => {
      this.#grants.remove(grant);
      if (this.#ended) return 'lost';
      const finish = this.#grants.isFirst(grant) ? this.run?.finish : undefined;
      if (this.#grants.size === 0) {
        this.#end();
        return await this.keeper.free(this, finish);
      }
      const lowered = this.#ledger.lower(this.#grants.account, finish);
      const { kind } = await lowered.catch((error: unknown) => {
        throw unavailable(this.target.name, error);
      });
      if (kind !== 'kept') this.gone();
      return kind === 'kept' ? kind : 'lost';
    });
  }

  extend(grant: Grant, ttl: number): Promise<boolean> {
    return this.#ledger.inTurn(async () => {
      if (!grant.isHeld) return false;
      const sentAt = await this.#keeper.extend(ttl);
      if (sentAt === undefined)
        throw unavailable(this.target.name, new RedisFailure('ambiguous', 'the lease could not be extended'));
      if (sentAt !== false) grant.extendTo(ttl, sentAt);
      this.rearm();
      return sentAt !== false && !this.#ledger.takeBackIfOver();
    });
  }

  /** Ends what is past its deadline. Synchronous, so that the first instruction after a stall finds the truth. */
  checkDeadlines(): void {
    if (this.#ended) return;
    if (now() < this.lease.deadline && this.#grants.outlive(now(), this.target.name)) return;
    const isUnrenewed = this.lease.state === 'unknown' && this.upkeep.renewalTtl > 0;
    this.lose(isUnrenewed ? 'it could not be renewed in time' : 'its lease was over');
  }

  /** Ends the belief in the whole hold. */
  lose(why: string, code?: 'MAX_HOLD'): void {
    if (this.#ended) return;
    const grants = this.#grants.all();
    this.lease.lose();
    this.#end();
    // A scope that asked for the other side of its lock in vain has lost nothing.
    if (grants.length > 0) this.#post({ kind: 'lost', why });
    const loss = new LockLostError(this.target.name, why, code);
    for (const grant of grants) grant.lose(loss);
    this.keeper.lost(this);
  }

  /** Aborts the work without ending the hold: it may still unlock in good order. */
  abort(loss: LockLostError): void {
    for (const grant of this.#grants.all()) grant.abort(loss);
  }

  gone(): void {
    this.lose('Redis says that the holder has nothing: the lease ended, or it was unlocked by force');
  }

  unknown(why: string): void {
    this.#post({ kind: 'unknown', why });
  }

  /** Its last command without an answer, if nothing was heard since. */
  get doubt(): RedisFailure | undefined {
    return this.#ledger.doubt;
  }

  get account(): Account | undefined {
    return this.#ended ? undefined : this.#grants.account;
  }

  get upkeep(): Upkeep {
    return this.#grants;
  }

  rearm(): void {
    this.checkDeadlines();
    if (this.#ended) return;
    this.#keeper.watch();
    this.#timers.arm(this.#grants.nextDeadline(this.lease));
  }

  shorten<T>(ttl: number, ask: () => Promise<T>): Promise<T> {
    return this.#keeper.shorten(ttl, ask);
  }

  #post(notice: HoldNotice): void {
    this.context.notices.post({ ...notice, lock: this.target.name, holder: this.lease.holder });
  }

  #end(): void {
    this.#ended = true;
    this.#grants.clear();
    this.#timers.cancel();
    this.#keeper.unwatch();
  }
}
