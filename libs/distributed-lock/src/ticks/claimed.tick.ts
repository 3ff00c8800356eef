import type { CurrentLock, WorkResult } from '../contracts/lock.contract.js';
import type { TickPolicies } from '../contracts/tick.contract.js';
import { errorText } from '../errors/error.text.js';
import { LockLostError } from '../errors/lock.errors.js';
import { LOSSES } from '../errors/loss.reasons.js';
import type { RunEnd, RunListener } from './run.listener.js';
import { RunWatch } from './run.watch.js';
import { TickWatch } from './tick.watch.js';
import { runLasting } from '../work/lasting.work.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { Instant, Lease } from '../renewal/lease.js';
import type { JobKeys } from '../job-control/job.keys.js';
import type { ReleaseReply } from '../replies/lock.replies.js';
import type { ClaimReply, FinishArguments, TickScripts } from './tick.scripts.js';
import { now } from '../timing/monotonic.clock.js';
import type { HoldHandle } from '../holds/handle.js';
import type { OwnRelease } from '../holds/hold.contract.js';
import { TickHandle } from './tick.handle.js';
import type { LockEngine } from '../locks/lock.engine.js';
import type { LockTarget } from '../core/lock.target.js';
import type { GrantedTick, TickClaim } from './tick.claim.js';

/** Pause between attempts to store the outcome while Redis does not answer, in ms. */
const RETRY_PAUSE = 100;

/** The error message of a failed run is cut to this length: records are read by people. */
const LONGEST_REASON = 500;

const SHUT_DOWN = 'the application was shutting down';

const NOT_BEGUN = 'it did not begin: a decorator above @DistributedLock skipped the call';

/** A grant as received, and the conditions of its run. */
export interface TickGrant {
  readonly target: LockTarget;
  readonly keys: JobKeys;
  readonly lease: Lease;
  readonly reply: ClaimReply & { readonly kind: 'granted' };
  readonly policies: TickPolicies;
  readonly runs: RunListener | undefined;
  readonly lost: TickClaim['lost'];
  /** Whether any instance could run it: the work of `runOnce` exists only in its caller. */
  readonly isFleets: boolean;
  /** Whether no run may begin here any more: the application shuts down, or the job was turned off. */
  readonly isRefusing: () => boolean;
}

/** A tick that was granted to this process: runs under the job's lock, and stores its outcome with the release. */
export class ClaimedTick {
  #ending: Pick<FinishArguments, 'outcome' | 'reason'>;
  /** Why the run failed. */
  #error: unknown;
  #handle: HoldHandle | undefined;
  /** Undefined without a listener of runs. */
  #watch: RunWatch | undefined;
  #begun = false;
  /** Settles when Redis has noted that the run has begun; undefined for a run without a request. */
  #noted: Promise<unknown> | undefined;
  #isStopped = false;
  /** Whether Redis has stored how it ended. */
  #isStored = false;

  constructor(
    private readonly engine: LockEngine,
    private readonly scripts: TickScripts,
    private readonly grant: TickGrant,
  ) {
    this.#ending = grant.isFleets
      ? { outcome: 'returned', reason: '' }
      : { outcome: 'failed', reason: `it did not begin: ${SHUT_DOWN}` };
  }

  /** Takes over the hold. @param sent when the claim was sent */
  begin(sent: Instant): GrantedTick {
    const { target, lease, reply, policies } = this.grant;
    const { tick, attempt, token } = reply;
    const ownRelease: OwnRelease = {
      kind: 'tick',
      script: (count, ttl) => this.#finish(count, ttl),
      handleOf: (...terms) => new TickHandle({ tick, attempt }, ...terms),
      giveUp: () => {
        if (this.#begun) this.#stopped();
        this.#isStopped = true;
        return () => this.scripts.finish(this.grant.keys, this.#arguments(0, 1));
      },
    };
    const { maxHold = this.engine.context.settings.tickMaxHold } = policies;
    const hold = this.engine.localLock(target).addHold(lease, { maxHold, ownRelease });
    const handle = hold.admit(undefined, sent.at, token);
    this.#handle = handle;
    this.#follow(handle, reply);
    return {
      kind: 'granted',
      tick,
      run: (work) => this.#run(handle, work),
      giveBack: () => this.#giveBack(),
    };
  }

  /** For the listeners of events, and of runs. */
  #follow(handle: HoldHandle, reply: TickGrant['reply']): void {
    const { runs } = this.grant;
    const events = this.#eventsOf(handle, reply);
    this.#watch =
      runs === undefined ? undefined : new RunWatch(runs, events, (isLost) => this.#endOf(handle, isLost));
    const watch = this.#watch ?? events;
    if (watch !== undefined) handle.watch(watch);
  }

  #eventsOf(handle: HoldHandle, { tick, attempt }: TickGrant['reply']): TickWatch | undefined {
    const { events } = this.engine.context.notices;
    if (!events.hasListeners) return undefined;
    const claimed = { job: handle.name, tick, attempt, holder: handle.holder };
    return new TickWatch(events, claimed, (isLost) =>
      isLost && !this.#isStopped ? 'lost' : this.#ending.outcome,
    );
  }

  #endOf(handle: HoldHandle, isLost: boolean): RunEnd {
    if (isLost && !this.#isStopped) {
      const error = handle.loss ?? LockLostError.of(handle.name, LOSSES.goneAtUnlock);
      return { outcome: 'failed', error };
    }
    const { outcome } = this.#ending;
    return outcome === 'completed' || outcome === 'handed-over'
      ? { outcome }
      : { outcome: 'failed', error: this.#error };
  }

  async #run<T>(handle: HoldHandle, work: (lock: CurrentLock) => WorkResult<T>): Promise<T | undefined> {
    if (this.grant.isRefusing()) {
      await this.#giveBack();
      return undefined;
    }
    this.#begun = true;
    this.#ending = { outcome: 'completed', reason: '' };
    this.#watch?.begin(this.grant.reply);
    let ended: Promise<void> | undefined;
    try {
      const begin = () => {
        this.#noteBegin();
        return work(handle);
      };
      const lasting = await runLasting(begin, (step) => handle.run(step));
      ({ ended } = lasting);
      return lasting.result;
    } catch (error) {
      this.#ending = { outcome: 'failed', reason: errorText(error).slice(0, LONGEST_REASON) };
      this.#error = error;
      throw error;
    } finally {
      if (ended === undefined) await this.#end(handle);
      else void ended.then(() => this.#end(handle));
    }
  }

  /** Sent before the work starts, and not awaited: the end of the run is stored after it. */
  #noteBegin(): void {
    const { keys, lease, reply } = this.grant;
    const { request } = reply;
    if (request === undefined) return;
    const { context } = this.engine;
    const note = () => this.scripts.begin(keys, lease.holder, request);
    this.#noted = context.backgroundRelease.retry(note, context.settings.watchdogTimeout);
  }

  async #end(handle: HoldHandle): Promise<void> {
    if (this.#noted !== undefined) await this.#noted;
    // Aborted with a live lease: the shutdown stopped the run. Its result is then not the whole work, whatever it returned.
    if (handle.isOpen && handle.isAborted) this.#stopped();
    // The result or error of the work stands; a failed release is logged where it happens.
    await handle.unlock().catch(() => undefined);
    if (!this.#isStored) this.grant.lost?.();
  }

  async #giveBack(): Promise<void> {
    if (this.#begun) return;
    // The cause that kept the work from beginning would do so again, here and on other instances, without end.
    if (!this.grant.isRefusing()) this.#ending = { outcome: 'failed', reason: NOT_BEGUN };
    await this.#handle?.unlock().catch(() => undefined);
  }

  #stopped(): void {
    const { policies, isFleets, target } = this.grant;
    this.#error = LockLostError.of(target.name, LOSSES.shuttingDown);
    this.#ending = {
      outcome: policies.onCrash === 'retry' && isFleets ? 'handed-over' : 'failed',
      reason: SHUT_DOWN,
    };
  }

  /** Stores the outcome, repeated until the lease is over; repeating is safe. */
  async #finish(count: number, ttl: number): Promise<ReleaseReply> {
    const { wheel, notices } = this.engine.context;
    const { keys, target, lease } = this.grant;
    const finish = this.#arguments(count, ttl);
    for (;;) {
      try {
        const reply = await this.scripts.finish(keys, finish);
        this.#isStored = reply.kind !== 'gone';
        return reply;
      } catch (error) {
        const failure = RedisFailure.from(error);
        if (!failure.isTransient || now() + RETRY_PAUSE >= lease.deadline) throw failure;
        const { holder } = lease;
        notices.post({ kind: 'release-delayed', lock: target.name, holder, why: failure.message });
        await failure.settled;
        await wheel.pause(RETRY_PAUSE);
      }
    }
  }

  #arguments(count: number, ttl: number): FinishArguments {
    const { lease, reply, target } = this.grant;
    const { holder } = lease;
    return { holder, token: reply.token, count, lease: ttl, channel: target.channel, ...this.#ending };
  }
}
