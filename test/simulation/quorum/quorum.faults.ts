import { sizeOfCommonFault } from '../fault.sizes.js';
import { SeededDice } from '../seeded.dice.js';

/** What can go wrong with one server, for all instances. */
const SERVER_FAULTS = [
  'restart server',
  'restart server without data',
  'isolate server',
  'stop server',
  'step server clock',
  'slow server',
  'refuse commands',
] as const;

/** What can go wrong between one instance and one server, or two of them. */
const LINK_FAULTS = [
  'cut commands',
  'cut messages',
  'lose replies',
  'partition',
  'slow requests',
  'slow replies',
] as const;

/** What can go wrong with one instance. */
const INSTANCE_FAULTS = ['crash', 'stop', 'step clock'] as const;

export type QuorumFaultKind =
  | (typeof SERVER_FAULTS)[number]
  | (typeof LINK_FAULTS)[number]
  | (typeof INSTANCE_FAULTS)[number];

/** One fault. An instance and a server are named by their places; times are in ms. */
export interface QuorumFault {
  readonly at: number;
  readonly kind: QuorumFaultKind;
  readonly instance: number;
  readonly server: number;
  /** How long it lasts, or how far it goes. */
  readonly size: number;
}

/** The longest pause between two faults, in ms: one of these for each run. */
const PAUSES = [900, 2500, 6000];

/**
 * Draws the faults of a run. Some runs have all kinds, mostly on two servers of the five, so that a majority is there for long; others have
 * few kinds, on any server. Now and then there is a calm time.
 */
export function drawQuorumFaults(
  seed: number,
  duration: number,
  { instances, servers }: { readonly instances: number; readonly servers: number },
): QuorumFault[] {
  const dice = new SeededDice(seed, 'quorum faults');
  const weak = dice.below(servers);
  const faults: QuorumFault[] = [];
  const longest = dice.pick(PAUSES);
  const kinds = dice.chance(0.5) ? undefined : [0, 1].map(() => dice.pick(SERVER_FAULTS));
  const pause = () => (dice.chance(0.1) ? dice.between(4000, 9000) : dice.between(50, longest));
  for (let at = dice.between(200, 1500); at < duration; at += pause()) {
    const kind = kinds === undefined ? drawKind(dice) : dice.pick(kinds);
    const isWeak = kinds === undefined && dice.chance(0.75);
    const server = isWeak ? (weak + dice.below(2)) % servers : dice.below(servers);
    faults.push({ at, kind, instance: dice.below(instances), server, size: sizeOf(kind, dice) });
  }
  return faults;
}

function drawKind(dice: SeededDice): QuorumFaultKind {
  if (dice.chance(0.45)) return dice.pick(SERVER_FAULTS);
  return dice.chance(0.75) ? dice.pick(LINK_FAULTS) : dice.pick(INSTANCE_FAULTS);
}

function sizeOf(kind: QuorumFaultKind, dice: SeededDice): number {
  switch (kind) {
    case 'stop server':
      return sizeOf('stop', dice);
    case 'isolate server':
      return sizeOf('partition', dice);
    case 'restart server without data':
      return sizeOf('restart server', dice);
    case 'slow server':
      return sizeOf('slow replies', dice);
    case 'refuse commands':
      return dice.between(20, 2500);
    case 'step server clock':
      return dice.chance(0.5) ? dice.between(-500, 500) : dice.between(-4000, 60_000);
    default:
      return sizeOfCommonFault(kind, dice) ?? 0;
  }
}

/** A fault as a line of a report. */
export function showQuorumFault({ at, kind, instance, server, size }: QuorumFault): string {
  const isOfServer = SERVER_FAULTS.some((each) => each === kind);
  const isOfInstance = INSTANCE_FAULTS.some((each) => each === kind);
  const whose = isOfServer ? `s${server}` : `i${instance}${isOfInstance ? '' : ` to s${server}`}`;
  return `${at} ms: ${kind} of ${whose}${size === 0 ? '' : ` (${size})`}`;
}
