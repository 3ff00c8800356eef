import { showFault } from './fault.plan.js';
import { shrink } from './plan.shrinker.js';
import { ClusterDeployment, SHARDS } from './nodes/cluster.deployment.js';
import { showNodeFault } from './nodes/node.faults.js';
import { nodePlanOf, simulateNodes, type DeploymentKind } from './nodes/node.run.js';
import { SentinelDeployment } from './nodes/sentinel.deployment.js';
import { quorumPlanOf, simulateQuorum } from './quorum/quorum.run.js';
import { showQuorumFault } from './quorum/quorum.faults.js';
import { planOf, simulate, type LayerName, type RunPlan, type RunResult } from './simulated.run.js';
import { showAct, showJob } from './tick.plan.js';
import type { RunRecords } from './world.js';

/** The servers that a fleet stands on, with the faults that they can have. */
export interface Topology {
  run(seed: number, duration: number, records?: RunRecords): Promise<RunResult>;
  /** The smallest plan that breaks a rule, as lines of a report. */
  smallest(seed: number, duration: number, rule: string): Promise<readonly string[]>;
}

interface TopologyParts<F, P extends RunPlan<F>> {
  readonly planOf: (seed: number, duration: number) => P;
  readonly simulate: (plan: P, records?: RunRecords) => Promise<RunResult>;
  readonly showFault: (fault: F) => string;
}

const SEVERAL_SERVERS = new Map<string, Topology>([
  ['quorum', topologyOf({ planOf: quorumPlanOf, simulate: simulateQuorum, showFault: showQuorumFault })],
  ['sentinel', topologyOnNodes({ shards: 1, make: (world) => new SentinelDeployment(world) })],
  ['cluster', topologyOnNodes({ shards: SHARDS, make: (world) => new ClusterDeployment(world) })],
]);

function topologyOnNodes(kind: DeploymentKind): Topology {
  return topologyOf({
    planOf: (seed, duration) => nodePlanOf(kind, seed, duration),
    simulate: (plan, records) => simulateNodes(kind, plan, records),
    showFault: showNodeFault,
  });
}

/**
 * @param layer below which one server is simulated; several are simulated below the ports
 * @throws RangeError for a name that is none of them
 */
export function topologyNamed(name: string, layer: LayerName): Topology {
  const planOnOne = (seed: number, duration: number) => planOf(seed, duration, layer);
  const topology =
    name === 'one' ? topologyOf({ planOf: planOnOne, simulate, showFault }) : SEVERAL_SERVERS.get(name);
  if (topology !== undefined) return topology;
  throw new RangeError(`--topology is one of one, ${[...SEVERAL_SERVERS.keys()].join(', ')}, not ${name}`);
}

function topologyOf<F, P extends RunPlan<F>>(parts: TopologyParts<F, P>): Topology {
  return {
    run: (seed, duration, records) => parts.simulate(parts.planOf(seed, duration), records),
    smallest: async (seed, duration, rule) => {
      const plan = await shrink(parts.planOf(seed, duration), rule, parts.simulate);
      const size = `${plan.faults.length} faults, ${plan.instances} instances, ${plan.callers} callers each, ${plan.duration} ms`;
      return [
        `the smallest plan that breaks ${rule}: ${size}`,
        ...(plan.others ?? []).map((name) => `  calls: ${name}`),
        ...plan.faults.map((fault) => `  ${parts.showFault(fault)}`),
        ...(plan.ticks?.acts ?? []).map((act) => `  ${showAct(act)}`),
        ...(plan.ticks?.jobs ?? []).map((job) => `  ${showJob(job)}`),
      ];
    },
  };
}
