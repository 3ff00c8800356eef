import type { WorkResult } from '../contracts/lock.contract.js';
import type { TickPolicies } from '../contracts/tick.contract.js';
import { LockConfigurationError, LockUnavailableError } from '../errors/lock.errors.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { Lease } from '../renewal/lease.js';
import { jobKeys } from '../job-control/job.keys.js';
import type { Claimant, ClaimReply, TickScripts } from './tick.scripts.js';
import { now } from '../timing/monotonic.clock.js';
import type { StoreClock } from '../job-control/store.clock.js';
import { checkWork } from '../core/call.checks.js';
import { ClaimedTick } from './claimed.tick.js';
import { JobControlService } from '../job-control/job.control.js';
import { unavailable } from '../core/unavailable.errors.js';
import type { LockEngine } from '../locks/lock.engine.js';
import type { LockTarget } from '../core/lock.target.js';
import { isSkipped, type TickAnswer, type TickClaim } from './tick.claim.js';
import { noticesOf } from '../job-control/job.records.js';
import { acquireFresh } from '../acquire/late.grant.js';
import { machine } from '../timing/machine.js';

/** Pause between attempts while Redis does not answer, in ms. */
const RETRY_PAUSE = 100;

/** The latest instant that a record can hold: its numbers have 14 digits. */
const LAST_INSTANT = 99_999_999_999_999;

/** A mark this far ahead of the store's clock, in ms, was set before that clock stepped back. */
const STEP = 1000;

/** The defaults of claims without policies. */
const POLICIES: TickPolicies = { onCrash: 'skip', overlap: 'skip', grace: 0 };

/** The holder id of a claim, and whether Redis may have granted it. */
interface ClaimAttempt {
  readonly holder: string;
  mayHave: boolean;
  failure: RedisFailure | undefined;
}

/** Runs a job's ticks, each once in the fleet: claims a tick, runs it under the job's lock, stores its outcome. */
export class TickRunner {
  /** The state and the control of the jobs. */
  readonly jobs: JobControlService;
  #refusing = false;
  /** The name of this instance in the records of runs. */
  readonly instance: string;

  constructor(
    readonly engine: LockEngine,
    private readonly scripts: TickScripts,
    /** The store's clock, which decides which tick it is. */
    readonly clock: StoreClock,
  ) {
    this.instance = `${machine.name}:${engine.context.ids.client}`;
    this.jobs = new JobControlService(engine, scripts, this.instance);
  }

  /** From now on no tick is claimed. */
  refuse(): void {
    this.#refusing = true;
    this.jobs.close();
  }

  /** Runs `work` if `at` (epoch ms) is later than every instant of the job so far, and its lock is free. */
  async runInstant<T>(job: string, at: number, work: () => WorkResult<T>): Promise<T | undefined> {
    checkWork('runOnce()', job, work);
    if (!Number.isInteger(at) || at < 0 || at > LAST_INSTANT) {
      throw new LockConfigurationError(
        'INVALID_OPTION',
        `The instant of job "${job}" must be a Date or whole epoch milliseconds, not ${at}.`,
        job,
      );
    }
    const { events } = this.engine.context.notices;
    const answer = await this.claim(job, { mode: 'instant', tick: at }).catch((error: unknown) => {
      if (events.hasListeners && error instanceof LockUnavailableError)
        events.emit('tickUnclaimed', { job, tick: at, error });
      throw error;
    });
    if (answer.kind === 'granted') return await answer.run(work);
    if (events.hasListeners && isSkipped(answer.kind))
      events.emit('tickSkipped', { job, tick: at, why: answer.kind });
    return undefined;
  }

  /**
   * Claims a tick. The claim is repeated, under the same holder id, while the answer is lost or Redis is away.
   * @throws LockUnavailableError when there was no answer within the claim's timeout
   */
  claim(job: string, claim: TickClaim): Promise<TickAnswer> {
    const target = this.jobs.targetOf(job);
    // The local lock is kept for as long as a claim is under way, so that shutdown waits for the claim.
    return this.engine.localLock(target).waiters.during(async () => {
      const attempt = { holder: target.kind.holderIds.next(), mayHave: false, failure: undefined };
      try {
        return await this.#requestClaim(target, claim, attempt);
      } catch (error) {
        throw unavailable(job, error);
      } finally {
        this.#settle(target, claim, attempt);
      }
    });
  }

  async #requestClaim(target: LockTarget, claim: TickClaim, attempt: ClaimAttempt): Promise<TickAnswer> {
    const { wheel } = this.engine.context;
    const end = now() + (claim.timeout ?? 5000);
    const { mayBegin = () => true } = claim;
    const isRefusing = () => this.#refusing || !mayBegin();
    for (;;) {
      if (isRefusing()) return { kind: 'refused' };
      try {
        const { reply, sent } = await acquireFresh(this.#ttl, async () => {
          const answer = await this.#send(target, claim, attempt.holder);
          // Each reply has what its own call has found: the second one of a late grant does not repeat the first.
          this.#report(target.name, claim, answer);
          return answer;
        });
        this.jobs.enlist(target);
        if (reply.kind !== 'granted') return reply;
        attempt.mayHave = false;
        const until = reply.request?.until ?? Infinity;
        const tick = new ClaimedTick(this.engine, this.scripts, {
          target,
          keys: jobKeys(target.key),
          lease: new Lease(target, attempt.holder, this.#ttl, sent),
          reply,
          policies: claim.policies ?? POLICIES,
          runs: claim.runs,
          lost: claim.lost,
          isFleets: claim.isFleets ?? claim.mode !== 'instant',
          isRefusing: () => isRefusing() || (this.clock.now() ?? 0) > until,
        }).begin(sent);
        if (!isRefusing()) return tick;
        await tick.giveBack();
        return { kind: 'refused' };
      } catch (error) {
        const failure = RedisFailure.from(error);
        if (failure.kind === 'ambiguous') Object.assign(attempt, { mayHave: true, failure });
        if (!failure.isTransient || now() + RETRY_PAUSE >= end) throw failure;
        await wheel.pause(RETRY_PAUSE);
      }
    }
  }

  #send({ key }: LockTarget, claim: TickClaim, holder: string): Promise<ClaimReply> {
    const { mode, tick, following, previous, due, gap, policies = POLICIES } = claim;
    const { appName } = this.engine.context.settings;
    const claimant: Claimant = { holder, lease: this.#ttl, app: appName, instance: this.instance, policies };
    if (mode === 'again') return this.scripts.again(jobKeys(key), claimant);
    return this.scripts.claim(jobKeys(key), { ...claimant, mode, tick, following, previous, due, gap });
  }

  /** Ends a run that Redis may have granted and no instance runs, before its lease ends: another instance may then run its tick. */
  #settle(
    target: LockTarget,
    { mode, unanswered }: TickClaim,
    { holder, mayHave, failure }: ClaimAttempt,
  ): void {
    if (!mayHave) return;
    const { backgroundRelease } = this.engine.context;
    if (mode === 'instant') {
      void backgroundRelease.release({ target, holder, lease: this.#ttl, failure });
      return;
    }
    const { channel } = target;
    const unbegun = {
      holder,
      token: undefined,
      count: 0,
      lease: 1,
      channel,
      outcome: 'returned',
      reason: '',
    } as const;
    const finish = () => this.scripts.finish(jobKeys(target.key), unbegun);
    void backgroundRelease.undo(finish, this.#ttl, { failure }).then(unanswered);
  }

  get #ttl(): number {
    return this.engine.context.settings.watchdogTimeout;
  }

  /** Sends the notices of a reply. */
  #report(job: string, { mode, runs }: TickClaim, reply: ClaimReply): void {
    const { notices } = this.engine.context;
    for (const notice of noticesOf(job, reply.rows)) {
      notices.post(notice);
      if (notice.kind === 'tick-abandoned') runs?.abandoned(notice);
    }
    if (reply.kind === 'taken' && mode !== 'instant' && reply.mark - reply.at > STEP)
      notices.post({ kind: 'clock-stepped', lock: job, mark: reply.mark });
  }
}
