import { setTimeout as sleep } from 'node:timers/promises';
import { scaled } from './slowness.js';

/** Waits for a state instead of sleeping and hoping; says what it waited for when the state does not come. */
export async function until(
  what: string,
  reached: () => boolean | Promise<boolean>,
  within = 5000,
): Promise<void> {
  const end = performance.now() + scaled(within);
  while (!(await reached())) {
    if (performance.now() > end) throw new Error(`not within ${scaled(within)} ms: ${what}`);
    await sleep(5);
  }
}
