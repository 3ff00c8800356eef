import { setTimeout as sleep } from 'node:timers/promises';
import { scaled } from './slowness.js';

/** Pauses between two looks, in ms: a look may ask all servers of a cluster, and what has lasted for long is not needed to the ms. */
const PAUSE = { shortest: 5, longest: 25, share: 1 / 20 };

/** Waits for a state instead of sleeping and hoping; says what it waited for when the state does not come. */
export async function until(
  what: string,
  reached: () => boolean | Promise<boolean>,
  within = 5000,
): Promise<void> {
  const began = performance.now();
  while (!(await reached())) {
    const waited = performance.now() - began;
    if (waited > scaled(within)) throw new Error(`not within ${scaled(within)} ms: ${what}`);
    await sleep(Math.min(Math.max(waited * PAUSE.share, PAUSE.shortest), PAUSE.longest));
  }
}
