import { describe, expect, test as base } from 'vitest';
import { scaled } from '../support/slowness.js';
import { TopologyFolder, TopologyServer } from '../support/topology/topology.server.js';
import { until } from '../support/until.js';
import { TickFleet } from './tick.fleet.js';
import { runsOf, settled, ticksAfter, tickFixtures, type TickFixtures } from './tick.fixtures.js';
import { toldRuns } from './tick.runners.js';

const test = base.extend<TickFixtures>(tickFixtures);

/** Runs a test on a Redis that can go and come again empty. */
async function onMortalStore(
  use: (fleet: TickFleet, server: TopologyServer) => Promise<void>,
): Promise<void> {
  const folder = await TopologyFolder.make();
  const server = await TopologyServer.start(folder);
  const fleet = new TickFleet(`redis://${server.host}:${server.port}`);
  try {
    await use(fleet, server);
  } finally {
    await fleet.end();
    await server.stop();
    await folder.remove();
  }
}

describe.concurrent('case 8: a record that is gone', { timeout: scaled(40_000) }, () => {
  const policies = [
    ['skip', 'missed'],
    ['retry', 'completed'],
  ] as const;

  test.for(policies)(
    'with Redis that comes back empty: under %s the first tick is %s, the next ones run, each once',
    async ([onCrash, outcome]) => {
      await onMortalStore(async (fleet, server) => {
        await fleet.start({ onCrash }, { onCrash }, { onCrash });
        await until('a run', () => toldRuns(fleet).length > 0);
        const [between = 0] = ticksAfter(await fleet.storeNow(), 1);
        await fleet.reach(between + 300);
        await server.restart();
        const came = await fleet.storeNow();
        await until(
          'three ticks',
          () => toldRuns(fleet).filter(({ tick }) => tick > came).length >= 3,
          12_000,
        );
        // A machine that is slow may let a run last beyond the next tick, whose row is there first.
        const rows = (await fleet.runs('counted')).toSorted((one, other) => one.tick - other.tick);
        const [first, ...others] = rows;
        expect(first).toMatchObject({ outcome, attempt: outcome === 'missed' ? 0 : 1 });
        expect(first?.reason?.includes('record lost') ?? false).toBe(outcome === 'missed');
        expect(others.filter((row) => row.attempt !== 1 && row.outcome !== 'overlapped')).toEqual([]);
        const ran = toldRuns(fleet).map(({ tick }) => tick);
        expect(new Set(ran).size).toBe(ran.length);
        // For each tick since then a call of each instance and one that ends the run, and what each asked at its return.
        const ticks = rows.length + 1;
        expect(await fleet.scriptCalls()).toBeLessThan((ticks * 4 + 3 * 4) * 2);
        // What an instance was asking at that moment it may have asked in vain.
        expect(fleet.errors.filter((line) => !line.includes('could not be claimed'))).toEqual([]);
      });
    },
  );

  test('is one of its scripts only: SCRIPT FLUSH between ticks costs none', async ({ fleet }) => {
    await fleet.start({}, {}, {});
    const ticks = ticksAfter((await fleet.storeNow()) + 300, 4);
    for (const tick of ticks) {
      await fleet.reach(tick - 150);
      await fleet.admin.script('FLUSH');
    }
    await settled(fleet, ticks);
    expect(runsOf(fleet, 'counted', ticks)).toEqual(ticks);
    expect(fleet.errors).toEqual([]);
  });
});
