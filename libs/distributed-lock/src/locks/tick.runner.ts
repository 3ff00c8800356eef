import { hostname } from 'node:os';
import type { TickRecord } from '../contracts/tick.contract.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { Lease } from '../renewal/lease.js';
import type { ClaimReply, JobKeys, TickScripts } from '../scripts/tick.scripts.js';
import { suffixName } from '../scripts/wire.names.js';
import { now } from '../timing/monotonic.clock.js';
import type { StoreClock } from '../timing/store.clock.js';
import { ClaimedTick } from './claimed.tick.js';
import { unavailable } from './lock.context.js';
import type { LockTarget } from './lock.target.js';
import type { LockEngine } from './lock.engine.js';
import type { TickAnswer, TickClaim } from './tick.claim.js';
import { readRecords } from './tick.records.js';
import { askInTime } from './timely.answer.js';

/** Pause between attempts while Redis does not answer, in ms. */
const PAUSE = 100;

/** The latest instant that a record can hold: its numbers have 14 digits. */
const LAST_INSTANT = 99_999_999_999_999;

/** A mark this far ahead of the store's clock, in ms, was set before that clock stepped back. */
const STEP = 1000;

/** The holder id of a claim, and whether Redis may have granted it. */
interface Owed {
  readonly holder: string;
  mayHave: boolean;
  failure: RedisFailure | undefined;
}

/** Runs a job's ticks, each once in the fleet: claims, runs under the job's lock, stores how it ended. */
export class TickRunner {
  #refusing = false;
  readonly #instance: string;

  constructor(
    readonly engine: LockEngine,
    private readonly scripts: TickScripts,
    /** The store's clock, which decides which tick it is. */
    readonly clock: StoreClock,
  ) {
    this.#instance = `${hostname()}:${process.pid}:${engine.context.ids.client}`;
  }

  /** From now on no tick is claimed. */
  refuse(): void {
    this.#refusing = true;
  }

  /** Runs `work` if `at` (epoch ms) is later than every instant of the job so far, and nobody has its lock. */
  async runInstant<T>(job: string, at: number, work: () => T | PromiseLike<T>): Promise<T | undefined> {
    if (!Number.isInteger(at) || at < 0 || at > LAST_INSTANT) {
      throw new LockConfigurationError(
        'INVALID_OPTION',
        `The instant of job "${job}" must be a Date or whole epoch milliseconds, not ${at}.`,
        job,
      );
    }
    const answer = await this.claim(job, { mode: 'instant', tick: at });
    return answer.kind === 'granted' ? await answer.run(work) : undefined;
  }

  /** The newest rows of a job, newest first. */
  async records(job: string): Promise<TickRecord[]> {
    const target = this.#targetOf(job);
    try {
      const { running, rows } = await this.scripts.inspect(keysOf(target));
      return readRecords(rows, running);
    } catch (error) {
      throw unavailable(job, error);
    }
  }

  /**
   * Makes a job known, so that its ticks are run from now on. `latest` gives the latest instant at or before a time by
   * the store's clock; undefined for a job that has none yet.
   */
  async register(
    job: string,
    schedule: string,
    latest: (at: number) => number | 'now' | undefined,
  ): Promise<void> {
    const target = this.#targetOf(job);
    const { settings, notices } = this.engine.context;
    const keys = keysOf(target);
    try {
      const before = await this.scripts.register(keys, 'look', settings.appName, schedule);
      await this.scripts.register(keys, latest(before.at) ?? 0, settings.appName, schedule);
      const warn = (what: 'app' | 'schedule', was: string, is: string) => {
        if (was !== '' && was !== is) notices.post({ kind: 'shared-job', lock: job, what, is, was });
      };
      warn('app', before.app, settings.appName);
      if (before.app === settings.appName) warn('schedule', before.schedule, schedule);
    } catch (error) {
      throw unavailable(job, error);
    }
  }

  /**
   * Asks for a tick. Asks again, under the same holder id, while the answer is lost or Redis is away.
   * @throws LockUnavailableError when there was no answer within the claim's patience
   */
  claim(job: string, claim: TickClaim): Promise<TickAnswer> {
    const target = this.#targetOf(job);
    // The line is kept for as long as a claim is under way, so that shutdown waits for it.
    return this.engine.line(target).during(async () => {
      const owed = { holder: this.engine.context.ids.next(), mayHave: false, failure: undefined };
      try {
        return await this.#ask(target, claim, owed);
      } catch (error) {
        throw unavailable(job, error);
      } finally {
        this.#settle(target, owed);
      }
    });
  }

  async #ask(target: LockTarget, claim: TickClaim, owed: Owed): Promise<TickAnswer> {
    const { wheel } = this.engine.context;
    const end = now() + (claim.patience ?? 5000);
    for (;;) {
      if (this.#refusing) return { kind: 'refused' };
      try {
        const { reply, sent } = await askInTime(this.#ttl, () => this.#send(target, claim, owed.holder));
        if (reply.kind !== 'granted') return this.#refused(target.name, claim, reply);
        owed.mayHave = false;
        const lease = new Lease(target.key, owed.holder, this.#ttl, sent, target.kind.scripts);
        const tick = new ClaimedTick(this.engine, this.scripts, target, keysOf(target), lease, reply);
        return { kind: 'granted', tick: reply.tick, run: tick.begin(sent.at, claim.maxHold) };
      } catch (error) {
        const failure = RedisFailure.from(error);
        if (failure.kind === 'ambiguous') Object.assign(owed, { mayHave: true, failure });
        if (!failure.passing || now() + PAUSE >= end) throw failure;
        await wheel.pause(PAUSE);
      }
    }
  }

  #send(
    target: LockTarget,
    { mode, tick, following, previous }: TickClaim,
    holder: string,
  ): Promise<ClaimReply> {
    const { appName } = this.engine.context.settings;
    const claim = {
      holder,
      lease: this.#ttl,
      mode,
      tick,
      following,
      previous,
      app: appName,
      instance: this.#instance,
    };
    return this.scripts.claim(keysOf(target), claim);
  }

  /** A run that may have been granted, and that nobody runs, ends here and not with its lease. */
  #settle(target: LockTarget, { holder, mayHave, failure }: Owed): void {
    if (mayHave) void this.engine.context.retirement.retire({ target, holder, lease: this.#ttl, failure });
  }

  #targetOf(job: string): LockTarget {
    return this.engine.target(this.engine.context.kinds.reentrant, job);
  }

  get #ttl(): number {
    return this.engine.context.settings.watchdogTimeout;
  }

  #refused(job: string, { mode }: TickClaim, reply: Exclude<ClaimReply, { kind: 'granted' }>): TickAnswer {
    if (reply.kind === 'taken' && mode !== 'instant' && reply.mark - reply.at > STEP) {
      this.engine.context.notices.post({ kind: 'clock-stepped', lock: job, mark: reply.mark });
    }
    return { kind: reply.kind };
  }
}

function keysOf({ key }: LockTarget): JobKeys {
  return { lock: key, record: suffixName(key, 'tick'), runs: suffixName(key, 'runs') };
}
