import type { LockSettings } from '../../../libs/distributed-lock/src/contracts/settings.js';
import { readSettings } from '../../../libs/distributed-lock/src/startup/settings.reader.js';
import type { CallCounts } from '../caller.loop.js';
import { REST, STAYS, useAllOnce } from '../run.end.js';
import { inWorld, type RunPlan, type RunResult } from '../simulated.run.js';
import type { RunRecords, World } from '../world.js';
import { NodeCallers, usesOfEachNodeLock } from './node.callers.js';
import type { NodeDeployment } from './node.deployment.js';
import { drawNodeFaults, type NodeFault } from './node.faults.js';
import { NodeFleet } from './node.fleet.js';
import { NodeWatch } from './node.watch.js';

/** A kind of deployment. */
export interface DeploymentKind {
  readonly shards: number;
  readonly make: (world: World) => NodeDeployment;
}

/** Of every two seeds one has replicas that acknowledge. */
function settingsOf(seed: number): LockSettings {
  return readSettings({
    lockWatchdogTimeout: 6000,
    commandTimeout: 500,
    shutdownTimeout: 1000,
    appName: 'simulation',
    ...(seed % 2 === 0 && { replication: { acks: 1, timeout: 100 } }),
  });
}

export function nodePlanOf(kind: DeploymentKind, seed: number, duration = 20_000): RunPlan<NodeFault> {
  const instances = 2 + (seed % 3);
  const faults = drawNodeFaults(seed, duration, { instances, shards: kind.shards });
  return { seed, duration, instances, callers: 3, faults };
}

/** Runs a fleet on servers with replicas, and checks it after each event. */
export function simulateNodes(
  kind: DeploymentKind,
  plan: RunPlan<NodeFault>,
  records?: RunRecords,
): Promise<RunResult> {
  return inWorld(plan.seed, records, (world) => run(world, kind.make(world), plan));
}

async function run(
  world: World,
  deployment: NodeDeployment,
  { seed, duration, instances, callers, faults }: RunPlan<NodeFault>,
): Promise<RunResult> {
  const counts: CallCounts = { calls: 0, grants: 0, refusals: new Map() };
  const settings = settingsOf(seed);
  const allCallers: NodeCallers[] = [];
  let isOver = false;
  const watch = new NodeWatch(world, deployment, settings);
  const fleet = new NodeFleet(
    {
      world,
      deployment,
      settings,
      trouble: (until, isMove) => watch.trouble(until, isMove),
      started: (instance) => {
        const { service } = instance;
        if (service === undefined || isOver) return;
        const started = new NodeCallers({ world, watch, counts, instance, service, settings });
        allCallers.push(started);
        started.start(callers);
      },
    },
    instances,
  );
  world.check = () => watch.check();
  fleet.plan(faults);
  await world.runUntil(duration);
  isOver = true;
  for (const caller of allCallers) caller.stop();
  await world.runUntil(duration + REST);
  await useAllOnce(world, fleet.live, usesOfEachNodeLock, (what) => watch.report('use', what));
  const left = deployment.shards.flatMap(({ master }) => master.keyNames().filter((key) => !STAYS.test(key)));
  if (left.length > 0) watch.report('I5', `left in the store: ${left.join(', ')}`);
  for (const { process, service } of fleet.live) world.as(process, () => void service?.shutDown());
  await world.runUntil(duration + 2 * REST);
  return {
    ...counts,
    hash: world.hash,
    events: world.events,
    faults: fleet.faults,
    violations: watch.violations,
  };
}
