/** A run starts within this part of the time until the next tick at the latest: it is claimed before that tick comes. */
const PART = 0.5;

/**
 * Spreads the starts of a job over time: how long after its instant a tick starts follows from the job and the tick alone, so that all
 * instances wait equally long. A random delay of each instance would not do: the earliest of many is hardly delayed.
 */
export class Splay {
  /** @param span the longest delay, in ms */
  constructor(
    private readonly job: string,
    private readonly span: number,
  ) {}

  /**
   * @param tick in epoch ms
   * @param following the instant after it; undefined if there is none
   * @returns the delay of the start, in whole ms
   */
  delayOf(tick: number, following: number | undefined): number {
    const longest = following === undefined ? this.span : Math.min(this.span, (following - tick) * PART);
    return Math.floor(longest * shareOf(`${this.job}\0${tick}`));
  }
}

/** A number from 0 up to 1, evenly distributed over texts: FNV-1a, whose bits are mixed in the end, for the texts of two ticks hardly differ. */
function shareOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
