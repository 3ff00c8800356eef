import { hostname } from 'node:os';
import type { TickRecord } from '../contracts/tick.contract.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { instant, Lease, type Instant } from '../renewal/lease.js';
import type { ReleaseReply } from '../scripts/reentrant.scripts.js';
import type { ClaimReply, JobKeys, TickScripts } from '../scripts/tick.scripts.js';
import { suffixName } from '../scripts/wire.names.js';
import { now } from '../timing/monotonic.clock.js';
import type { StoreClock } from '../timing/store.clock.js';
import type { TickRun } from './hold.contract.js';
import { unavailable } from './lock.context.js';
import type { LockNames } from './lock.names.js';
import type { LockEngine } from './lock.engine.js';
import type { TickAnswer, TickClaim } from './tick.claim.js';
import { readRecords } from './tick.records.js';

/** Pause between attempts while Redis does not answer, in ms. */
const PAUSE = 100;

/** What the error message of a failed run is cut to: a record is read by people. */
const LONGEST_REASON = 500;

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
    if (!Number.isSafeInteger(at) || at < 0) {
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
    const names = this.engine.names(job);
    try {
      const { running, rows } = await this.scripts.inspect(keysOf(names));
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
    const names = this.engine.names(job);
    const { settings, notices } = this.engine.context;
    const keys = keysOf(names);
    try {
      const { at } = await this.scripts.register(keys, 'look', settings.appName, schedule);
      const before = await this.scripts.register(keys, latest(at) ?? 0, settings.appName, schedule);
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
  async claim(job: string, claim: TickClaim): Promise<TickAnswer> {
    const names = this.engine.names(job);
    const { context } = this.engine;
    const holder = context.ids.next();
    const end = now() + (claim.patience ?? 5000);
    const ttl = context.settings.watchdogTimeout;
    for (;;) {
      if (this.#refusing) return { kind: 'refused' };
      const sent = instant();
      try {
        const reply = await this.scripts.claim(keysOf(names), {
          holder,
          lease: ttl,
          mode: claim.mode,
          tick: claim.tick,
          following: claim.following,
          previous: claim.previous,
          app: context.settings.appName,
          instance: this.#instance,
        });
        return reply.kind === 'granted'
          ? this.#granted(names, new Lease(names.key, holder, ttl, sent), reply, sent, claim)
          : { kind: reply.kind };
      } catch (error) {
        const failure = RedisFailure.from(error);
        if (!failure.passing || now() + PAUSE >= end) {
          // It may have been granted: a run that nobody runs ends here, and not with its lease.
          if (failure.kind === 'ambiguous')
            void context.retirement.retire({ names, holder, lease: ttl, failure });
          throw unavailable(job, failure);
        }
        await new Promise<void>((resolve) => context.wheel.after(PAUSE, resolve));
      }
    }
  }

  #granted(
    names: LockNames,
    lease: Lease,
    { tick, attempt, token }: ClaimReply & { kind: 'granted' },
    sent: Instant,
    claim: TickClaim,
  ): TickAnswer {
    const { context } = this.engine;
    let outcome: 'completed' | 'failed' = 'completed';
    let reason = '';
    const finish: TickRun['finish'] = (count, ttl) =>
      this.#finish(names, lease, () =>
        this.scripts.finish(keysOf(names), {
          holder: lease.holder,
          token,
          count,
          lease: ttl,
          channel: names.channel,
          outcome,
          reason,
        }),
      );
    const maxHold = claim.maxHold ?? context.settings.tickMaxHold;
    const hold = this.engine.line(names).adopt(lease, maxHold, { tick, attempt, token, finish });
    const grant = hold.admit(undefined, sent.at);
    return {
      kind: 'granted',
      tick,
      run: async (work) => {
        try {
          return await grant.run(() => work(grant));
        } catch (error) {
          outcome = 'failed';
          reason = (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_REASON);
          throw error;
        } finally {
          await grant.unlock().catch(() => undefined);
        }
      },
    };
  }

  /** The outcome of a run is worth asking for until its lease is over; repeating it is safe. */
  async #finish(names: LockNames, lease: Lease, send: () => Promise<ReleaseReply>): Promise<ReleaseReply> {
    for (;;) {
      try {
        return await send();
      } catch (error) {
        const failure = RedisFailure.from(error);
        if (!failure.passing || now() + PAUSE >= lease.deadline) throw failure;
        this.engine.context.notices.post({
          kind: 'release-delayed',
          lock: names.name,
          holder: lease.holder,
          why: failure.message,
        });
        await failure.settled;
        await new Promise<void>((resolve) => this.engine.context.wheel.after(PAUSE, resolve));
      }
    }
  }
}

function keysOf({ key }: LockNames): JobKeys {
  return { lock: key, record: suffixName(key, 'tick'), runs: suffixName(key, 'runs') };
}
