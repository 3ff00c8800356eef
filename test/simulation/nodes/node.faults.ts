import { sizeOfCommonFault } from '../fault.sizes.js';
import { SeededDice } from '../seeded.dice.js';

/** What can go wrong with one instance, and its connections. */
const INSTANCE_FAULTS = [
  'crash',
  'stop',
  'cut commands',
  'cut messages',
  'lose replies',
  'partition',
  'slow requests',
  'slow replies',
  'step clock',
] as const;

/** What can go wrong with a master and its replica. */
const SHARD_FAULTS = [
  'crash master',
  'split',
  'restart master',
  'restart replica',
  'cut replication',
  'slow replication',
] as const;

/** What can go wrong in a cluster alone. */
export const CLUSTER_FAULTS = ['move slot'] as const;

export type NodeFaultKind =
  | (typeof INSTANCE_FAULTS)[number]
  | (typeof SHARD_FAULTS)[number]
  | (typeof CLUSTER_FAULTS)[number];

/** One fault. Instances and shards are named by their places; times are in ms. */
export interface NodeFault {
  readonly at: number;
  readonly kind: NodeFaultKind;
  readonly instance: number;
  readonly shard: number;
  /** How long it lasts, or how far it goes. */
  readonly size: number;
}

/** The longest pause between two faults, in ms: one of these for each run. */
const PAUSES = [900, 2500, 6000];

/** Draws the faults of a run: some have all kinds, others a few. */
export function drawNodeFaults(
  seed: number,
  duration: number,
  { instances, shards }: { readonly instances: number; readonly shards: number },
): NodeFault[] {
  const dice = new SeededDice(seed, 'node faults');
  const pause = dice.pick(PAUSES);
  const ofShards: readonly NodeFaultKind[] =
    shards === 1
      ? SHARD_FAULTS
      : [...SHARD_FAULTS.filter((kind) => kind !== 'split'), ...CLUSTER_FAULTS, ...CLUSTER_FAULTS];
  const all = [...INSTANCE_FAULTS, ...ofShards, ...ofShards];
  const few = shards > 1 && dice.chance(0.5) ? CLUSTER_FAULTS : [dice.pick(all), dice.pick(ofShards)];
  const kinds = dice.chance(0.4) ? all : few;
  const faults: NodeFault[] = [];
  for (let at = dice.between(200, 1500); at < duration; at += dice.between(50, pause)) {
    const kind = dice.pick(kinds);
    const [instance, shard] = [dice.below(instances), dice.below(shards)];
    faults.push({ at, kind, instance, shard, size: sizeOf(kind, dice) });
  }
  return faults;
}

function sizeOf(kind: NodeFaultKind, dice: SeededDice): number {
  switch (kind) {
    case 'slow replication':
      return sizeOf('slow replies', dice);
    case 'restart master':
      return sizeOf('crash', dice);
    case 'move slot':
      return dice.between(20, 1500);
    default:
      return sizeOfCommonFault(kind, dice) ?? dice.between(100, 5000);
  }
}

/** A fault as a line of a report. */
export function showNodeFault({ at, kind, instance, shard, size }: NodeFault): string {
  const whose = INSTANCE_FAULTS.some((each) => each === kind)
    ? `i${instance}`
    : `shard ${shard}, i${instance}`;
  return `${at} ms: ${kind} of ${whose}${size === 0 ? '' : ` (${size})`}`;
}
