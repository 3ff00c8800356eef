import { Random } from '../support/random.js';

/** Jobs that every instance of a storm has: one under `skip`, one under `retry`. */
export const STORM_JOBS = ['counted', 'retried'] as const;
export type StormJob = (typeof STORM_JOBS)[number];

/** Something that breaks, `at` ms after the storm began. What dies comes again `away` ms later. */
export type StormFault =
  /** SIGKILL of an instance. */
  | { readonly kind: 'kill'; readonly at: number; readonly slot: number; readonly away: number }
  /** SIGKILL of the instance that runs that job, or of `slot` where none does soon. */
  | {
      readonly kind: 'kill-runner';
      readonly at: number;
      readonly job: StormJob;
      readonly slot: number;
      readonly away: number;
    }
  /** SIGKILL of Redis, and a restart with its data. */
  | { readonly kind: 'redis'; readonly at: number; readonly away: number };

export interface StormSettings {
  readonly seed: number;
  /** In ms. */
  readonly duration: number;
  readonly instances: number;
}

/** What a storm does: nothing but a function of its settings. */
export interface StormPlan extends StormSettings {
  /** How far the clock of each instance is ahead of the machine's, in ms. */
  readonly shifts: readonly number[];
  /** In the order of their time. */
  readonly faults: readonly StormFault[];
}

/** The longest an instance is away, in ms. */
const LONGEST_AWAY = 1500;
/** Redis is away for a moment, or over a lease and several ticks, in ms. */
const REDIS_AWAY = { short: 400, long: 3500 };
/** Between two kills, and between two deaths of Redis, on an average, in ms. */
const KILL_EVERY = 2500;
const REDIS_EVERY = 12_000;

export function planStorm({ seed, duration, instances }: StormSettings): StormPlan {
  const random = new Random(seed);
  const faults: StormFault[] = [];
  const around = (pace: number) => pace / 2 + random.below(Math.floor(pace));
  for (let at = around(KILL_EVERY); at < duration; at += around(KILL_EVERY)) {
    const [slot, away] = [random.below(instances), 100 + random.below(LONGEST_AWAY)];
    const job = STORM_JOBS[random.below(3)];
    faults.push(
      job === undefined ? { kind: 'kill', at, slot, away } : { kind: 'kill-runner', at, job, slot, away },
    );
  }
  // A short storm has one, too.
  const pace = Math.min(REDIS_EVERY, duration / 2);
  for (let at = around(pace); at < duration; at += around(pace)) {
    const away = random.below(2) === 0 ? REDIS_AWAY.short : REDIS_AWAY.long;
    faults.push({ kind: 'redis', at, away: 100 + random.below(away) });
  }
  return {
    seed,
    duration,
    instances,
    shifts: Array.from({ length: instances }, () => random.below(1401) - 700),
    faults: faults.toSorted((one, other) => one.at - other.at),
  };
}
