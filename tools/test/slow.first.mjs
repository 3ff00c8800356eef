import { relative, sep } from 'node:path';
import { BaseSequencer } from 'vitest/node';
import { ROOT } from '../build/node.runner.mjs';

/** What takes long, in s on two cores; anything else takes less than 15. Only the order depends on it. */
const SECONDS = /** @type {Readonly<Record<string, number>>} */ ({
  'test/faults/connections/refused.connection.spec.ts': 78,
  'test/dashboard/page.spec.ts': 120,
  'test/waiting/shorter.leases.spec.ts': 71,
  'test/locks/short.wait.spec.ts': 60,
  'test/simulation/simulation.spec.ts': 90,
  'test/models/fair.model.spec.ts': 55,
  'test/waiting/shorter.doors.spec.ts': 51,
  'test/demo/demo.spec.ts': 48,
  'test/dashboard/routes.spec.ts': 45,
  'test/ticks/splay.spec.ts': 45,
  'test/models/read-write.model.spec.ts': 40,
  'test/faults/cut.wires.spec.ts': 46,
  'test/ticks/dst.spec.ts': 38,
  'test/faults/full.server.spec.ts': 35,
  'test/faults/joint.holds.spec.ts': 35,
  'test/faults/stopped.server.spec.ts': 34,
  'test/waiting/process-queue.spec.ts': 34,
  'test/ticks/fleet.spec.ts': 34,
  'test/quorum/chaos.spec.ts': 33,
  'test/ticks/stalled.claims.spec.ts': 30,
  'test/faults/degraded/table.spec.ts': 30,
  'test/consumers/consumers.spec.ts': 24,
  'test/ticks/storm.spec.ts': 24,
  'test/doors/work.ends.spec.ts': 24,
  'test/models/fair.crowd.spec.ts': 24,
  'test/ticks/alarms.spec.ts': 22,
  'test/doors/shutdown.budget.spec.ts': 22,
  'test/faults/connections/client.events.spec.ts': 22,
  'test/quorum/loss.spec.ts': 20,
  'test/docs/pages.spec.ts': 19,
  'test/bench/bench.spec.ts': 18,
  'test/ticks/clocks.spec.ts': 16,
  'test/faults/degraded/traffic.spec.ts': 16,
  'test/waiting/killed.holder.spec.ts': 16,
  'test/ticks/downtime.spec.ts': 40,
  'test/chaos/broken.spec.ts': 90,
  'test/chaos/chaos.spec.ts': 73,
  'test/chaos/broken.places.spec.ts': 16,
  'test/quorum/red.conformance.spec.ts': 66,
  'test/locks/fair.conformance.spec.ts': 63,
  'test/locks/write.conformance.spec.ts': 62,
  'test/locks/spin.conformance.spec.ts': 58,
  'test/support/topology/topology.spec.ts': 36,
  'test/topologies/failover.sentinel.spec.ts': 28,
  'test/replication/grants.spec.ts': 27,
});

/** Files that take long begin first, so that none of them runs alone at the end. */
export class SlowFirst extends BaseSequencer {
  /**
   * @override
   * @param {Parameters<BaseSequencer['sort']>[0]} files
   */
  async sort(files) {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is vitest's own, of files
    const others = await super.sort(files);
    const secondsOf = (/** @type {{ moduleId: string }} */ { moduleId }) =>
      SECONDS[relative(ROOT, moduleId).replaceAll(sep, '/')] ?? 0;
    return others.toSorted((one, other) => secondsOf(other) - secondsOf(one));
  }
}
