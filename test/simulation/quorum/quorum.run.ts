import type { CallCounts } from '../caller.loop.js';
import { REST, useAllOnce } from '../run.end.js';
import { inWorld, type RunPlan, type RunResult } from '../simulated.run.js';
import type { RunRecords, World } from '../world.js';
import { QuorumCallers, usesOfEachRedLock } from './quorum.callers.js';
import { drawQuorumFaults, type QuorumFault } from './quorum.faults.js';
import { QuorumFleet, SERVERS } from './quorum.fleet.js';
import { QuorumWatch } from './quorum.watch.js';

export function quorumPlanOf(seed: number, duration = 20_000): RunPlan<QuorumFault> {
  const instances = 2 + (seed % 3);
  const faults = drawQuorumFaults(seed, duration, { instances, servers: SERVERS });
  return { seed, duration, instances, callers: 3, faults };
}

/** Runs a fleet with red locks on five servers, and checks it after each event. */
export function simulateQuorum(plan: RunPlan<QuorumFault>, records?: RunRecords): Promise<RunResult> {
  return inWorld(plan.seed, records, (world) => run(world, plan));
}

async function run(
  world: World,
  { duration, instances, callers, faults }: RunPlan<QuorumFault>,
): Promise<RunResult> {
  const counts: CallCounts = { calls: 0, grants: 0, refusals: new Map() };
  const allCallers: QuorumCallers[] = [];
  let isOver = false;
  const fleet = new QuorumFleet(world, instances, (instance) => {
    if (instance.service === undefined || isOver) return;
    const started = new QuorumCallers(world, watch, counts, instance, instance.service);
    allCallers.push(started);
    started.start(callers);
  });
  const watch = new QuorumWatch(world, fleet);
  world.check = () => watch.check();
  fleet.plan(faults);
  await world.runUntil(duration);
  isOver = true;
  for (const caller of allCallers) caller.stop();
  await world.runUntil(duration + REST);
  await useAllOnce(world, fleet.live, usesOfEachRedLock, (what) => watch.report('use', what));
  expectNothingLeft(fleet, watch);
  for (const instance of fleet.live) world.as(instance.process, () => void instance.service?.shutDown());
  await world.runUntil(duration + 2 * REST);
  return {
    ...counts,
    hash: world.hash,
    events: world.events,
    faults: fleet.faults,
    violations: watch.violations,
  };
}

function expectNothingLeft(fleet: QuorumFleet, watch: QuorumWatch): void {
  for (const server of fleet.servers) {
    const left = [...server.keyNames(), ...server.store.channels.names()];
    if (left.length > 0) watch.report('I5', `left on ${server.name}: ${left.join(', ')}`);
  }
}
