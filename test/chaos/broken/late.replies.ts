import { setTimeout as sleep } from 'node:timers/promises';
import type { GroundFault } from '../faults/breakable.ground.js';

/**
 * Redis runs commands at once, and some workers hear of it late: just so late that a round trip does not fail. A lease that is
 * counted from then is too long by more than its safety margin. One worker has no such trouble, and takes what is free.
 */
export const LATE_REPLIES: GroundFault = {
  name: 'replies late',
  lossy: false,
  async inject({ ground }, random) {
    const wires = ground.wires.slice(1);
    for (const wire of wires) {
      const delay = 150 + random.below(100);
      let held = -Infinity;
      // What comes behind a reply that is kept back waits with it, and not once more.
      const keepBack = () => {
        if (performance.now() < held) return 'pass';
        held = performance.now() + delay;
        return sleep(delay);
      };
      wire.judge(() => ({ answered: keepBack }));
    }
    await sleep(2000);
    for (const wire of wires) wire.restore();
    return 'replies to all but worker 0 late for 2 s';
  },
};
