import { LockLostError } from '../errors/lock.errors.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { instant, type Lease } from '../renewal/lease.js';
import type { UnlockOutcome } from '../contracts/lock.contract.js';
import type { HoldNotice } from '../events/notice.board.js';
import { now } from '../timing/monotonic.clock.js';
import { CountLedger, type Account, type Counted, type Lowering } from './count.ledger.js';
import { GrantBook } from './grant.book.js';
import { Grant, type GrantingHold } from './grant.js';
import type { HoldKeeper, TickRun } from './hold.contract.js';
import { HoldTimers } from './hold.timers.js';
import { LeaseVerifier, type Doubter } from './lease.verifier.js';
import { unavailable, type LockContext } from './lock.context.js';
import type { LockNames } from './lock.names.js';

/**
 * One holder's acquisitions of one lock. Every operation goes through it, one after the other, and names the count that
 * it is to reach: an answer that got lost is made good by whatever comes next. A hold that ended sends nothing.
 */
export class Hold implements GrantingHold, Doubter, Counted {
  readonly owner: object;
  readonly key: string;
  /** Epoch ms of the grant, for messages. */
  readonly since = Date.now();
  readonly #grants: GrantBook;
  readonly #timers: HoldTimers;
  readonly #ledger: CountLedger;
  readonly #verifier: LeaseVerifier;
  #ended = false;

  constructor(
    private readonly context: LockContext,
    private readonly keeper: HoldKeeper<Hold>,
    readonly names: LockNames,
    readonly lease: Lease,
    maxHold: number = context.settings.maxHold,
    readonly run?: TickRun | undefined,
  ) {
    this.owner = context;
    this.key = names.key;
    this.#grants = new GrantBook(context.settings.watchdogTimeout);
    this.#ledger = new CountLedger(context, names, lease, this);
    this.#verifier = new LeaseVerifier(lease, context.watchdog, this);
    this.#timers = new HoldTimers(context.wheel, context.settings.warnAfter, maxHold, {
      check: () => this.rearm(),
      warn: (held) => this.#post({ kind: 'long-hold', held }),
      end: () => this.#overstay(maxHold),
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
    return this.#verifier.isBelieved;
  }

  /** Adds an acquisition that Redis has counted. */
  admit(leaseTime: number | undefined, sentAt: number): Grant {
    const grant = new Grant(this, leaseTime, sentAt);
    this.#grants.add(grant);
    const { watchdog } = this.context;
    if (!grant.isFixed && !watchdog.isWatching(this.lease)) watchdog.watch(this.lease, this);
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
      if (this.#ended) return undefined;
      this.lease.raise(sent, ttl);
      return this.admit(leaseTime, sent.at);
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
      if (!this.#grants.wantsRenewal) this.context.watchdog.unwatch(this.lease);
      return await this.#lower(finish);
    });
  }

  extend(grant: Grant, ttl: number): Promise<boolean> {
    return this.#ledger.inTurn(async () => {
      if (!grant.isHeld) return false;
      const sent = instant();
      this.lease.expect(ttl);
      const confirmed = await this.context.watchdog.renewNow(this.lease, ttl, this);
      if (confirmed === undefined)
        throw unavailable(this.names.name, new RedisFailure('ambiguous', 'the lease could not be extended'));
      if (confirmed) grant.extendTo(ttl, sent.at);
      this.rearm();
      return confirmed;
    });
  }

  /** Ends what is past its deadline. Synchronous, so that the first instruction after a stall finds the truth. */
  checkDeadlines(): void {
    if (this.#ended) return;
    if (now() >= this.lease.deadline) {
      this.lose(this.lease.state === 'unknown' ? 'it could not be renewed in time' : 'its lease was over');
    } else if (!this.#grants.outlive(now(), this.names.name)) {
      this.lose('its lease was over');
    }
  }

  /** Ends the belief in the whole hold. */
  lose(why: string, code?: 'MAX_HOLD'): void {
    if (this.#ended) return;
    const grants = this.#grants.all();
    this.lease.lose();
    this.#end();
    this.#post({ kind: 'lost', why });
    const loss = new LockLostError(this.names.name, why, code);
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

  async #lower(finish: Lowering | undefined): Promise<UnlockOutcome> {
    const reply = await this.#ledger.lower(this.#grants.account, finish).catch((error: unknown) => {
      throw unavailable(this.names.name, error);
    });
    if (reply.kind === 'kept') return 'kept';
    this.gone();
    return 'lost';
  }

  get account(): Account | undefined {
    return this.#ended ? undefined : this.#grants.account;
  }

  get renewalTtl(): number {
    return this.#grants.wantsRenewal ? this.lease.ttl : 0;
  }

  rearm(): void {
    this.checkDeadlines();
    if (!this.#ended) this.#timers.arm(this.#grants.nextDeadline(this.lease));
  }

  shorten(ttl: number): void {
    this.lease.cap(instant(), ttl);
    this.rearm();
  }

  #overstay(maxHold: number): void {
    this.#post({ kind: 'overheld', maxHold });
    this.lose(`it was held for longer than maxHold (${maxHold} ms)`, 'MAX_HOLD');
  }

  #post(notice: HoldNotice): void {
    this.context.notices.post({ ...notice, lock: this.names.name, holder: this.lease.holder });
  }

  #end(): void {
    this.#ended = true;
    this.#grants.clear();
    this.#timers.cancel();
    this.context.watchdog.unwatch(this.lease);
  }
}
