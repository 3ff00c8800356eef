import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { until } from '../support/until.js';
import { hasRun } from './job.apps.js';
import type { TickFleet } from '../ticks/tick.fleet.js';

/** Waits until all processes of a fleet report the job, and some instance has run it. */
export async function reportsAndRuns(fleet: TickFleet, locks: LockService, job = 'counted'): Promise<void> {
  const pids = fleet.workers.map(({ pid }) => pid);
  await until(
    'all processes report the job',
    async () => {
      const instances = await locks.fleet.instances();
      return pids.every((pid) =>
        instances.some((each) => each.pid === pid && each.jobs.some((one) => one.job === job)),
      );
    },
    20_000,
  );
  await hasRun(locks, job);
}

/** Ends all processes of a fleet by `kill -9`. */
export async function killAll(fleet: TickFleet): Promise<void> {
  await Promise.all(fleet.workers.map((worker) => worker.kill()));
}

/** Removes the reports of a fleet's processes, as Redis does 45 s after the last one. */
export async function expireReports(fleet: TickFleet, locks: LockService): Promise<void> {
  const pids = new Set(fleet.workers.map(({ pid }) => pid));
  const dead = (await locks.fleet.instances()).filter(({ pid }) => pids.has(pid));
  await Promise.all(dead.map(({ id }) => fleet.admin.pexpire(`{${fleet.prefix}}:instance:${id}`, 1)));
  await until('no process of the fleet is known', async () =>
    (await locks.fleet.instances()).every(({ pid }) => !pids.has(pid)),
  );
}
