import type { LockSettings } from '../../../libs/distributed-lock/src/contracts/settings.js';
import type { LockService } from '../../../libs/distributed-lock/src/service/lock.service.js';
import { readSettings } from '../../../libs/distributed-lock/src/startup/settings.reader.js';
import { KINDS } from '../called.kinds.js';
import type { CallCounts, CallerLoop } from '../caller.loop.js';
import { drawOthers, OtherCalls, type OtherCall } from '../other.calls.js';
import { REST, STAYS, useAllOnce } from '../run.end.js';
import { SeededDice } from '../seeded.dice.js';
import { inWorld, type RunPlan, type RunResult } from '../simulated.run.js';
import { drawTicks } from '../tick.plan.js';
import { TickSimulation } from '../tick.simulation.js';
import type { RunRecords, World } from '../world.js';
import { FailoverLosses } from './failover.losses.js';
import { isNodeFamily, NAMES, NodeCallers, usesOfEachNodeLock } from './node.callers.js';
import type { NodeDeployment } from './node.deployment.js';
import { drawNodeFaults, type NodeFault } from './node.faults.js';
import { NodeFleet } from './node.fleet.js';
import { NodeWatch } from './node.watch.js';

/** The locks that multi locks consist of: those that the callers of single locks use. */
const LOCKS = { kinds: KINDS.filter(({ family }) => isNodeFamily(family)), names: NAMES };

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
    instanceInfo: false,
    ...(seed % 2 === 0 && { replication: { acks: 1, timeout: 100 } }),
  });
}

/** A run on servers with replicas. */
export interface NodePlan extends RunPlan<NodeFault> {
  readonly others: readonly OtherCall[];
}

export function nodePlanOf(kind: DeploymentKind, seed: number, duration = 20_000): NodePlan {
  const instances = 2 + (seed % 3);
  const faults = drawNodeFaults(seed, duration, { instances, shards: kind.shards });
  return { seed, duration, instances, callers: 3, faults, ...drawCalls(seed, duration, instances) };
}

/** What is called besides single locks: in half of the runs nothing, in a quarter also ticks. */
function drawCalls(seed: number, duration: number, instances: number): Pick<NodePlan, 'others' | 'ticks'> {
  if (new SeededDice(seed, 'calls on nodes').chance(0.5)) return { others: [] };
  const hasTicks = new SeededDice(seed, 'ticks on nodes').chance(0.5);
  // No server has its clock set.
  return {
    others: drawOthers(seed),
    ...(hasTicks && { ticks: drawTicks(seed, duration, instances, false) }),
  };
}

/** Runs a fleet on servers with replicas, and checks it after each event. */
export function simulateNodes(
  kind: DeploymentKind,
  plan: NodePlan,
  records?: RunRecords,
): Promise<RunResult> {
  return inWorld(plan.seed, records, (world) => run(world, kind.make(world), plan));
}

async function run(world: World, deployment: NodeDeployment, plan: NodePlan): Promise<RunResult> {
  const { seed, duration, instances, callers, faults } = plan;
  const counts: CallCounts = { calls: 0, grants: 0, refusals: new Map() };
  const settings = settingsOf(seed);
  const allCallers: (NodeCallers | CallerLoop)[] = [];
  let isOver = false;
  const watch = new NodeWatch(world, deployment, settings);
  const losses = new FailoverLosses(deployment);
  const others = new OtherCalls({ world, store: deployment, watch, losses }, plan.others, LOCKS);
  const fleet = new NodeFleet(
    {
      world,
      deployment,
      settings,
      trouble: (until, isMove) => watch.trouble(until, isMove),
      started: (instance) => {
        const { service } = instance;
        if (service === undefined) return;
        ticks?.started(instance, service);
        if (isOver) return;
        const place = { world, watch, counts, instance, service };
        const ofLocks = new NodeCallers({ ...place, settings });
        const ofOthers = others.callersOf(place);
        allCallers.push(ofLocks, ...ofOthers);
        ofLocks.start(callers);
        for (const caller of ofOthers) caller.start();
      },
    },
    instances,
  );
  const ticks =
    plan.ticks &&
    new TickSimulation({
      world,
      watch,
      fleet,
      store: deployment,
      plan: plan.ticks,
      lease: settings.watchdogTimeout,
      losesAll: false,
      losses: new FailoverLosses(deployment),
    });
  world.check = () => {
    watch.check();
    others.check();
    ticks?.check();
  };
  fleet.plan(faults);
  await world.runUntil(duration);
  isOver = true;
  for (const caller of allCallers) caller.stop();
  ticks?.rest();
  await world.runUntil(duration + REST);
  fleet.endLosses();
  const [first] = fleet.live;
  const usesOf = (service: LockService) => [
    ...usesOfEachNodeLock(service),
    ...(service === first?.service ? others.ends(service) : []),
  ];
  await useAllOnce(world, fleet.live, usesOf, (what) => watch.report('use', what));
  ticks?.finish();
  for (const instance of fleet.live) world.as(instance.process, () => void instance.shutDown());
  await world.runUntil(duration + 2 * REST);
  // A failover may bring back what a slot left behind when it moved away: no client can reach it.
  const keys = deployment.shards.flatMap((shard) =>
    shard.master.keyNames().filter((key) => deployment.shardOf(key) === shard),
  );
  const left = keys.filter((key) => !STAYS.test(key) && ticks?.isNamed(key) !== true);
  if (left.length > 0) watch.report('I5', `left in the store: ${left.join(', ')}`);
  return {
    ...counts,
    ...(ticks !== undefined && { ticks: ticks.counts }),
    hash: world.hash,
    events: world.events,
    faults: fleet.faults,
    violations: watch.violations,
  };
}
