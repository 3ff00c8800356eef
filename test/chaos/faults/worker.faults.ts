import { setTimeout as sleep } from 'node:timers/promises';
import type { GroundFault } from './breakable.ground.js';
import { between, oneOf, someOf } from './random.picks.js';

/** How far a wall clock steps, in seconds. */
export const CLOCK_STEP = 60;

/** What befalls the processes that hold and wait: long enough for leases of 1 and 2 s to end, now and then for those of 5 s. */
export const WORKER_FAULTS: readonly GroundFault[] = [
  {
    name: 'worker stopped',
    lossy: false,
    async inject({ workers }, random) {
      const victims = someOf(random, workers);
      const ms = between(random, 200, random.below(4) === 0 ? 6000 : 2500);
      for (const victim of victims) victim.stop();
      await sleep(ms);
      for (const victim of victims) victim.resume();
      return `SIGSTOP of ${list(victims)} for ${ms} ms`;
    },
  },
  {
    name: 'worker killed',
    lossy: false,
    async inject({ workers }, random) {
      const victims = random.below(3) === 0 ? someOf(random, workers) : [oneOf(random, workers)];
      const killed = list(victims);
      await Promise.all(victims.map((victim) => victim.kill()));
      return `SIGKILL of ${killed}`;
    },
  },
  {
    name: 'event loop blocked',
    lossy: false,
    async inject({ workers }, random) {
      const victims = someOf(random, workers);
      const ms = between(random, 100, 3000);
      for (const victim of victims) victim.block(ms);
      await sleep(ms);
      return `event loops of ${list(victims)} busy for ${ms} ms`;
    },
  },
  {
    name: 'worker clock stepped',
    lossy: false,
    async inject({ ground, workers }, random) {
      const victims = someOf(random, workers);
      const seconds = random.below(2) === 0 ? CLOCK_STEP : -CLOCK_STEP;
      const ms = between(random, 500, 2500);
      const set = (offset: number) =>
        Promise.all(victims.map(({ index }) => ground.setWorkerClock(index, offset)));
      await set(seconds);
      await sleep(ms);
      await set(0);
      return `wall clocks of ${list(victims)} at ${seconds} s for ${ms} ms`;
    },
  },
];

function list(victims: readonly { readonly index: number }[]): string {
  return `worker ${victims.map(({ index }) => index).join(', ')}`;
}
