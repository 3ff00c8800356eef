import { Inject, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import type { Duration } from '../contracts/duration.js';
import { lockServiceToken } from '../contracts/tokens.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { checkOptionNames, optionNames, parseDuration } from '../options/option.checks.js';
import type { LockService } from '../service/lock.service.js';
import { takeVitals, type LockVitals } from '../service/lock.vitals.js';
import { showAs } from '../objects/object.form.js';

/** The limits within which a module instance is healthy. */
export interface LockHealthOptions {
  /** How long the check waits for Redis. Without an answer the result is `down`. @default '1s' */
  readonly timeout?: Duration | undefined;
  /** The maximum round trip to Redis. @default the timeout */
  readonly maxRoundTrip?: Duration | undefined;
  /**
   * The maximum difference between the clocks of this machine and of Redis. Ticks follow the clock of Redis.
   * @default no limit
   */
  readonly maxClockOffset?: Duration | undefined;
  /**
   * The maximum delay of a renewal. A renewal is due after a third of the lease. From then on it counts as late until
   * the library has sent it. A renewal that Redis does not answer counts as late, even after it was sent, until Redis
   * confirms a later renewal of the same lease.
   * @default a sixth of `lockWatchdogTimeout`, which is half of the time between two renewals
   */
  readonly maxWatchdogLate?: Duration | undefined;
  /**
   * Whether the result is `down` if the subscriber connection does not work. Set `false` if your Redis forbids
   * pub/sub. @default true
   */
  readonly needsPubSub?: boolean | undefined;
  /** The `name` of the module instance to check. @default the unnamed instance */
  readonly service?: string | undefined;
}

const OPTIONS = optionNames<LockHealthOptions>({
  timeout: true,
  maxRoundTrip: true,
  maxClockOffset: true,
  maxWatchdogLate: true,
  needsPubSub: true,
  service: true,
});

/** The bounds in ms. */
interface HealthLimits {
  readonly maxRoundTrip: number;
  readonly maxClockOffset: number;
  readonly maxWatchdogLate: number;
  readonly needsPubSub: boolean;
}

/** A health indicator for Terminus. Add it to the `providers` of a module that imports `TerminusModule`. */
@Injectable()
export class DistributedLockHealthIndicator {
  static {
    showAs(DistributedLockHealthIndicator, () => ({ type: 'DistributedLockHealthIndicator' }));
  }

  readonly #indicators: HealthIndicatorService;
  readonly #modules: ModuleRef;
  constructor(
    @Inject(HealthIndicatorService) indicators: HealthIndicatorService,
    @Inject(ModuleRef) modules: ModuleRef,
  ) {
    this.#indicators = indicators;
    this.#modules = modules;
  }

  /**
   * Checks both connections to Redis, and the watchdog. Acquires and releases a lock of its own, to find out whether
   * Redis grants one. Resolves within `timeout`, even if Redis is down.
   * @param key the key of the result
   * @returns `up` or `down`, each with `roundTrip`, `watchdogLate` and `clockOffset` (positive: the clock of
   * Redis is ahead) in ms, `subscriber` (`alive` or `deaf`), `redLockServers` (usable/all), and the numbers
   * `unconfirmed` (unanswered renewals), `held` (locks) and `waiting` (callers); `down` also with `reasons`
   * @throws LockConfigurationError `INVALID_OPTION`
   * @throws UnknownElementException of Nest if there is no module instance with the name `service`
   */
  async isHealthy<const Key extends string>(
    key: Key,
    options: LockHealthOptions = {},
  ): Promise<HealthIndicatorResult<Key>> {
    checkOptionNames(options, OPTIONS, `of isHealthy("${key}")`);
    const needsPubSub: unknown = options.needsPubSub ?? true;
    if (typeof needsPubSub !== 'boolean')
      throw new LockConfigurationError(
        'INVALID_OPTION',
        `needsPubSub of isHealthy("${key}") must be true or false.`,
      );
    const timeout = parseDuration(options.timeout ?? '1s', { option: 'timeout', min: 1 });
    const locks = this.#modules.get<LockService>(lockServiceToken(options.service), { strict: false });
    const bounds: HealthLimits = {
      maxRoundTrip: read('maxRoundTrip', options.maxRoundTrip ?? timeout),
      maxClockOffset: read('maxClockOffset', options.maxClockOffset ?? Infinity),
      maxWatchdogLate: read('maxWatchdogLate', options.maxWatchdogLate ?? locks.settings.watchdogTimeout / 6),
      needsPubSub,
    };
    const session = this.#indicators.check(key);
    const vitals = await takeVitals(locks, timeout);
    const reasons = reasonsOf(vitals, bounds);
    const figures = figuresOf(vitals);
    return reasons.length === 0 ? session.up(figures) : session.down({ ...figures, reasons });
  }
}

function reasonsOf(vitals: LockVitals, bounds: HealthLimits): string[] {
  const { roundTrip, trouble, refusal, isListening, watchdogLate, clockOffset = 0, servers } = vitals;
  const offset = Math.abs(clockOffset);
  const found: readonly (readonly [boolean, string])[] = [
    [roundTrip === undefined, `Redis does not answer: ${trouble}`],
    [roundTrip !== undefined && refusal !== undefined, `Redis grants no locks: ${refusal}`],
    [
      roundTrip !== undefined && roundTrip > bounds.maxRoundTrip,
      `Redis answered after ${whole(roundTrip)} ms, and the limit is ${bounds.maxRoundTrip} ms`,
    ],
    [!isListening && bounds.needsPubSub, 'the subscriber connection gets no answer: waiters poll'],
    [watchdogLate > bounds.maxWatchdogLate, `a lease should have been renewed ${whole(watchdogLate)} ms ago`],
    [
      offset > bounds.maxClockOffset,
      `the clock of Redis is ${whole(offset)} ms ${clockOffset > 0 ? 'ahead' : 'behind'}`,
    ],
    [
      servers !== undefined && servers.usable < servers.needed,
      `${servers?.usable} of ${servers?.all} servers for red locks are usable, and ${servers?.needed} are needed`,
    ],
  ];
  return found.filter(([isWrong]) => isWrong).map(([, reason]) => reason);
}

/** As they stand in the result: durations in ms. */
function figuresOf(vitals: LockVitals): Record<string, unknown> {
  const { roundTrip, isListening, watchdogLate, unconfirmed, clockOffset, held, waiting, servers } = vitals;
  return {
    roundTrip: whole(roundTrip, 2),
    subscriber: isListening ? 'alive' : 'deaf',
    watchdogLate: whole(watchdogLate),
    unconfirmed,
    clockOffset: whole(clockOffset),
    held,
    waiting,
    ...(servers === undefined ? {} : { redLockServers: `${servers.usable}/${servers.all}` }),
  };
}

function read(option: string, value: Duration): number {
  return parseDuration(value, { option, unbounded: true });
}

function whole(value: number | undefined, digits = 0): number | undefined {
  return value === undefined ? undefined : Number(value.toFixed(digits));
}
