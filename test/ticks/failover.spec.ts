import { describe, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { SentinelTopology } from '../support/topology/sentinel.topology.js';
import { until } from '../support/until.js';
import { TickFleet } from './tick.fleet.js';
import { isRecorded } from './tick.fixtures.js';
import { toldRuns } from './tick.runners.js';

describe('case 8: the master dies, and a replica takes its place', { timeout: scaled(60_000) }, () => {
  test('no tick runs twice, those in between have a reason, and the next ones run', async () => {
    const topology = await SentinelTopology.start();
    const { nodes, name = '' } = topology.describe;
    const fleet = new TickFleet({ sentinels: [...nodes], name, failoverDetector: true });
    try {
      await fleet.start({}, {}, {});
      await until('two runs', () => toldRuns(fleet).length >= 2);
      // Replicas follow within a moment: what died with the master is older than that.
      await fleet.reach(Math.max(...toldRuns(fleet).map(({ tick }) => tick)) + 400);
      const former = await topology.killMaster();
      await topology.succeeded(former);
      const first = Math.min(...toldRuns(fleet).map(({ tick }) => tick));
      const came = await fleet.storeNow();
      await until('three ticks', () => toldRuns(fleet).filter(({ tick }) => tick > came).length >= 3, 12_000);
      const ran = toldRuns(fleet).map(({ tick }) => tick);
      expect(new Set(ran).size).toBe(ran.length);
      const rows = await fleet.runs('counted');
      const last = Math.max(...ran);
      for (let tick = first; tick <= last; tick += 1000) expect(isRecorded(rows, tick)).toBe(true);
      expect(rows.filter(({ outcome, reason }) => outcome === 'missed' && reason === undefined)).toEqual([]);
      expect(fleet.errors.filter((line) => !line.includes('could not be claimed'))).toEqual([]);
    } finally {
      await fleet.end();
      await topology.stop();
    }
  });
});
