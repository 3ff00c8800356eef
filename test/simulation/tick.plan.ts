import type { TickOptions } from '../../libs/distributed-lock/src/contracts/guard.contract.js';
import { SeededDice } from './seeded.dice.js';

/** The options of a job, with all durations in ms. */
export type JobOptions = {
  readonly [name in 'grace' | 'catchUp' | 'maxHold' | 'minInterval']?: number;
} & Required<Pick<TickOptions, 'onCrash' | 'overlap'>>;

/** A job that every instance has. */
export interface JobPlan {
  readonly name: string;
  /** `timeout` with `minInterval` runs once in the fleet, without it on each instance. `once`: instants by `runOnce()`. */
  readonly kind: 'cron' | 'interval' | 'timeout' | 'once';
  /** Between two instants or starts; of a timeout its delay, in ms. */
  readonly period: number;
  readonly options: JobOptions;
  /** Whether the scheduler fires again only when the last run on its instance has ended. */
  readonly waitForCompletion: boolean;
}

/** What an operator, the application or its platform does to jobs and instances. */
export type ActKind = 'pause' | 'runNow' | 'forget' | 'direct call' | 'turn off' | 'step store clock';

/** One of them. A plan is data, so that it can be made smaller. */
export interface JobAct {
  readonly at: number;
  readonly kind: ActKind;
  /** The name of a job. */
  readonly job: string;
  /** An instance by its place in the fleet. */
  readonly target: number;
  /** How long it lasts, or how far it goes, in ms. */
  readonly size: number;
}

/** The jobs of a run, and what is done to them. */
export interface TickPlan {
  readonly jobs: readonly JobPlan[];
  readonly acts: readonly JobAct[];
}

const JOBS = 4;

const ACTS: readonly ActKind[] = [
  'pause',
  'runNow',
  'runNow',
  'forget',
  'direct call',
  'direct call',
  'turn off',
];

/** Whether the store's clock is set in a run. It has ticks only: a queue of waiters goes by that clock, too, and promises nothing then. */
export function stepsStoreClock(seed: number): boolean {
  return seed % 4 === 0;
}

/** Draws the jobs of a run and what is done to them. */
export function drawTicks(
  seed: number,
  duration: number,
  instances: number,
  stepsClock = stepsStoreClock(seed),
): TickPlan {
  const jobs = Array.from({ length: JOBS }, (_, place) =>
    drawJob(`job.${place}`, new SeededDice(seed, `job ${place}`)),
  );
  const dice = new SeededDice(seed, 'acts');
  const acts: JobAct[] = [];
  for (let at = dice.between(500, 2500); at < duration; at += dice.between(100, 2000)) {
    const kind = stepsClock && dice.chance(0.1) ? 'step store clock' : dice.pick(ACTS);
    const [job, target] = [dice.pick(jobs).name, dice.below(instances)];
    acts.push({ at, kind, job, target, size: sizeOf(kind, dice) });
  }
  return { jobs, acts };
}

function drawJob(name: string, dice: SeededDice): JobPlan {
  const kind = dice.pick([
    'cron',
    'cron',
    'cron',
    'cron',
    'cron',
    'interval',
    'interval',
    'timeout',
    'once',
  ] as const);
  const isInFleet = kind !== 'once' && (kind !== 'timeout' || dice.chance(0.7));
  const options: JobOptions = {
    onCrash: isInFleet && dice.chance(0.5) ? 'retry' : 'skip',
    overlap: isInFleet && dice.chance(0.5) ? 'queue' : 'skip',
    ...(isInFleet && dice.chance(0.3) ? { grace: dice.between(300, 4000) } : {}),
    ...(kind === 'cron' && dice.chance(0.3) ? { catchUp: dice.between(1000, 20_000) } : {}),
    ...(kind !== 'once' && dice.chance(0.25) ? { maxHold: dice.between(300, 4000) } : {}),
    ...(kind === 'timeout' && isInFleet ? { minInterval: dice.between(3000, 8000) } : {}),
  };
  return { name, kind, period: periodOf(kind, dice), options, waitForCompletion: dice.chance(0.25) };
}

function periodOf(kind: JobPlan['kind'], dice: SeededDice): number {
  // The seconds of a cron expression divide a minute.
  if (kind === 'cron') return dice.pick([1000, 1000, 2000, 3000, 5000]);
  if (kind !== 'interval') return dice.between(300, 2000);
  const period = dice.between(400, 3000);
  // Some are longer than a lease: an instance may sleep all the time in which another one runs, and dies.
  return period > 2500 ? 3 * period : period;
}

function sizeOf(kind: ActKind, dice: SeededDice): number {
  switch (kind) {
    case 'pause':
    case 'turn off':
      return dice.between(500, 6000);
    case 'runNow':
      return dice.between(200, 6000);
    case 'forget':
      // An odd one is forced.
      return dice.below(2);
    case 'direct call':
      return dice.chance(0.7) ? dice.between(0, 800) : dice.between(800, 5000);
    case 'step store clock':
      return dice.chance(0.8) ? dice.between(-4000, 4000) : dice.between(-90_000, 90_000);
  }
}

/** An act as a line of a report. */
export function showAct({ at, kind, job, target, size }: JobAct): string {
  return `${at} ms: ${kind} of ${job} by i${target} (${size})`;
}

/** A job as a line of a report. */
export function showJob({ name, kind, period, options, waitForCompletion }: JobPlan): string {
  const shown = Object.entries(options).map(([option, value]) => `${option} ${value}`);
  if (waitForCompletion) shown.push('waitForCompletion');
  return `${name}: ${kind} of ${period} ms, ${shown.join(', ')}`;
}
