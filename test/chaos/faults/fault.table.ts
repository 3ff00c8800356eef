import type { Topology } from '../chaos.types.js';
import type { BreakableGround, GroundFault } from './breakable.ground.js';
import { SERVER_FAULTS } from './server.faults.js';
import { STORE_FAULTS } from './store.faults.js';
import { TOPOLOGY_FAULTS } from './topology.faults.js';
import { WIRE_FAULTS } from './wire.faults.js';
import { WORKER_FAULTS } from './worker.faults.js';

/** All faults, in the order of the report. */
export const FAULTS: readonly GroundFault[] = [
  ...WORKER_FAULTS,
  ...WIRE_FAULTS,
  ...SERVER_FAULTS,
  ...STORE_FAULTS,
  ...TOPOLOGY_FAULTS,
];

/** `strict`: what leaves the store its data and its clock. `lossy`: what does not. `mixed`: all. */
export type Profile = 'strict' | 'lossy' | 'mixed';

/** The faults of a profile that a ground can suffer. @throws when `names` has one that it cannot */
export function faultsOf(
  ground: Pick<BreakableGround, 'topology' | 'withoutClocks'>,
  profile: Profile,
  names: readonly string[] = [],
): GroundFault[] {
  const possible = FAULTS.filter(
    (fault) =>
      fitsTopology(fault, ground.topology) &&
      (ground.withoutClocks === undefined || !fault.name.includes('clock')) &&
      (profile === 'mixed' || fault.lossy === (profile === 'lossy')),
  );
  const unknown = names.filter((name) => !possible.some((fault) => fault.name === name));
  if (unknown.length > 0)
    throw new Error(
      `no such fault in profile ${profile} on ${ground.topology}: ${unknown.join(', ')}; there are ${possible.map(({ name }) => name).join(', ')}`,
    );
  return names.length === 0 ? possible : possible.filter(({ name }) => names.includes(name));
}

function fitsTopology({ topologies }: GroundFault, topology: Topology): boolean {
  return topologies === undefined || topologies.includes(topology);
}
