import { SeededDice } from './seeded.dice.js';

/** What can go wrong everywhere. */
export const PORT_FAULTS = [
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
] as const;

/** What can go wrong where there are sockets. */
export const SOCKET_FAULTS = [
  'silent commands',
  'silent messages',
  'close commands',
  'forget scripts',
  'stop server',
  'fill server',
] as const;

/** What can go wrong. Targets are instances by their place in the fleet; times are in ms. */
export type FaultKind = (typeof PORT_FAULTS | typeof SOCKET_FAULTS)[number];

/** One fault. A plan is data, so that it can be made smaller. */
export interface Fault {
  readonly at: number;
  readonly kind: FaultKind;
  readonly target: number;
  /** How long it lasts, or how far it goes. */
  readonly size: number;
}

/** Draws the faults of a run. */
export function drawFaults(
  seed: number,
  duration: number,
  instances: number,
  kinds: readonly FaultKind[],
): Fault[] {
  const dice = new SeededDice(seed, 'faults');
  const faults: Fault[] = [];
  for (let at = dice.between(200, 1500); at < duration; at += dice.between(50, 900)) {
    const kind = dice.pick(kinds);
    faults.push({ at, kind, target: dice.below(instances), size: sizeOf(kind, dice) });
  }
  return faults;
}

function sizeOf(kind: FaultKind, dice: SeededDice): number {
  switch (kind) {
    case 'crash':
      return dice.between(50, 1500);
    case 'stop':
      return dice.chance(0.5) ? dice.between(20, 400) : dice.between(400, 5000);
    case 'slow requests':
    case 'slow replies':
      return dice.chance(0.5) ? dice.between(2, 60) : dice.between(60, 600);
    case 'partition':
      return dice.between(100, 5000);
    case 'restart server':
      return dice.chance(0.7) ? dice.between(20, 1500) : dice.between(1500, 5000);
    case 'stop server':
    case 'fill server':
      return dice.between(20, 2500);
    case 'step clock':
      return dice.between(-60_000, 60_000);
    default:
      return 0;
  }
}

/** A fault as a line of a report. */
export function showFault({ at, kind, target, size }: Fault): string {
  return `${at} ms: ${kind}${kind.endsWith('server') ? '' : ` of i${target}`}${size === 0 ? '' : ` (${size})`}`;
}
