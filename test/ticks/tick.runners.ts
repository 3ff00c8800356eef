import { until } from '../support/until.js';
import type { TickFleet } from './tick.fleet.js';
import type { TickWorker } from './tick.worker.js';

/** A run of a tick as its instance told of it. */
export interface ToldRun {
  readonly runner: TickWorker;
  readonly tick: number;
  readonly attempt: number;
}

/** Runs of ticks that instances told of, oldest first within each. */
export function toldRuns(fleet: TickFleet): ToldRun[] {
  return fleet.workers.flatMap((runner) =>
    runner
      .of('started')
      .flatMap(({ tick, attempt = 0 }) => (tick === undefined ? [] : [{ runner, tick, attempt }])),
  );
}

/** Waits for a run that fits. */
export async function awaitRun(
  fleet: TickFleet,
  what: string,
  fits: (run: ToldRun) => boolean = () => true,
): Promise<ToldRun> {
  const find = () => toldRuns(fleet).find(fits);
  await until(what, () => find() !== undefined, 12_000);
  const run = find();
  if (run === undefined) throw new Error('unreachable');
  return run;
}

/** What an operator of the instances that were not harmed would see as an error. */
export function errorsOfOthers(fleet: TickFleet, ...harmed: readonly TickWorker[]): string[] {
  return fleet.workers.flatMap((worker) => (harmed.includes(worker) ? [] : worker.errors));
}
