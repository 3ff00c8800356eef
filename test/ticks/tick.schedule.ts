/** A schedule with these instants, epoch ms in whole seconds less than a minute apart, and none before the next minute's. */
export function cronOf(...instants: readonly number[]): string {
  return `${instants.map((at) => (at / 1000) % 60).join(',')} * * * * *`;
}

/** A schedule that no test lives to see. */
export const NEVER = '0 0 0 1 1 *';

/** The first whole second at least `ms` after a moment, epoch ms. */
export function secondAfter(at: number, ms: number): number {
  return Math.ceil((at + ms) / 1000) * 1000;
}
