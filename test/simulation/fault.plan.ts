import { sizeOfCommonFault } from './fault.sizes.js';
import { SeededDice } from './seeded.dice.js';

/** What can go wrong everywhere. */
export const FAULTS = [
  'crash',
  'stop',
  'cut commands',
  'cut messages',
  'lose replies',
  'partition',
  'slow requests',
  'slow replies',
  'restart server',
  'step clock',
  'shut down',
  'lose data',
  'step server clock',
  'force unlock',
] as const;

/** What else can go wrong where the ports are simulated. */
export const PORT_FAULTS = [
  'part messages',
  'lose messages',
  'delay messages',
  'forget scripts',
  'refuse commands',
] as const;

/** What else can go wrong where there are sockets. */
export const SOCKET_FAULTS = [
  'silent commands',
  'silent messages',
  'close commands',
  'forget scripts',
  'refuse commands',
  'stop server',
  'fill server',
] as const;

/** What can go wrong. Targets are instances by their place in the fleet; times are in ms. */
export type FaultKind = (typeof FAULTS | typeof PORT_FAULTS | typeof SOCKET_FAULTS)[number];

/** Faults that free held locks at once: their holders learn of it at their next renewal. */
const LOSSY: ReadonlySet<FaultKind> = new Set(['lose data', 'step server clock', 'force unlock']);

/** One fault. A plan is data, so that it can be made smaller. */
export interface Fault {
  readonly at: number;
  readonly kind: FaultKind;
  readonly target: number;
  /** How long it lasts, or how far it goes. */
  readonly size: number;
}

/** The longest pause between two faults, in ms: one of these for each run. */
const PAUSES = [900, 900, 2500, 6000];

/** Draws the faults of a run: some have all kinds, others a few, so that one kind does not hide what another one shows. */
export function drawFaults(
  seed: number,
  duration: number,
  instances: number,
  kinds: readonly FaultKind[],
): Fault[] {
  const dice = new SeededDice(seed, 'faults');
  const faults: Fault[] = [];
  const pause = dice.pick(PAUSES);
  const isStrict = dice.chance(0.7);
  const all = isStrict ? kinds.filter((kind) => !LOSSY.has(kind)) : kinds;
  const some = dice.chance(0.5) ? all : Array.from({ length: 3 }, () => dice.pick(all));
  for (let at = dice.between(200, 1500); at < duration; at += dice.between(50, pause)) {
    const kind = dice.pick(some);
    faults.push({ at, kind, target: dice.below(instances), size: sizeOf(kind, dice) });
  }
  return faults;
}

function sizeOf(kind: FaultKind, dice: SeededDice): number {
  switch (kind) {
    case 'shut down':
      return sizeOfCommonFault('crash', dice) ?? 0;
    case 'lose messages':
      return dice.between(20, 2000);
    case 'delay messages':
      return dice.between(5, 800);
    case 'refuse commands':
      return dice.between(20, 2500);
    case 'step server clock':
      return dice.between(-10_000, 60_000);
    case 'force unlock':
      return dice.below(1000);
    case 'part messages':
      return dice.between(2000, 60_000);
    case 'lose data':
      return sizeOfCommonFault('restart server', dice) ?? 0;
    case 'stop server':
    case 'fill server':
      return dice.between(20, 2500);
    default:
      return sizeOfCommonFault(kind, dice) ?? 0;
  }
}

/** Faults of the server, and not of an instance. */
export const SERVER_FAULTS: ReadonlySet<FaultKind> = new Set([
  'restart server',
  'forget scripts',
  'refuse commands',
  'lose data',
  'step server clock',
  'stop server',
  'fill server',
]);

/** A fault as a line of a report. */
export function showFault({ at, kind, target, size }: Fault): string {
  return `${at} ms: ${kind}${SERVER_FAULTS.has(kind) ? '' : ` of i${target}`}${size === 0 ? '' : ` (${size})`}`;
}
