import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from '../chaos.types.js';
import type { GroundFault } from './breakable.ground.js';
import { between, someOf } from './random.picks.js';
import type { WorkerWires } from './worker.wires.js';

/** Without what the library knows of them: a script may be sent by either name. */
const SCRIPTS = new Set(['EVAL', 'EVALSHA']);

/** What befalls the wires of some workers; the others go on, and take what these have lost. */
export const WIRE_FAULTS: readonly GroundFault[] = [
  fault('connection cut', async (wires, random) => {
    const times = between(random, 1, 6);
    for (let time = 0; time < times; time += 1) {
      for (const wire of wires) wire.cut();
      await sleep(random.below(300));
    }
    return `cut ${times} times`;
  }),
  fault('connection refused', async (wires, random) => {
    const ms = between(random, 100, 2500);
    for (const wire of wires) wire.refuse();
    await sleep(ms);
    return `refused for ${ms} ms`;
  }),
  fault('connection delayed', async (wires, random) => {
    const delay = between(random, 20, 900);
    const ms = between(random, 500, 2500);
    // Before Redis sees a command, or after it has run it: which of both decides how old a grant is when it comes.
    const isRequest = random.below(2) === 0;
    // Each by so much, as on a long way: not one after the other, which would go on for long after the end.
    const left = (at: number) => sleep(Math.max(0, at + delay - performance.now()));
    for (const wire of wires)
      wire.judge(({ at }) => (isRequest ? { before: left(at) } : { answered: () => left(at) }));
    await sleep(ms);
    return `${isRequest ? 'requests' : 'replies'} delayed by ${delay} ms for ${ms} ms`;
  }),
  fault('connection silent', async (wires, random) => {
    const ms = between(random, 200, 3000);
    for (const wire of wires) wire.blackHole();
    await sleep(ms);
    return `a black hole for ${ms} ms`;
  }),
  fault('connection half-open', async (wires, random) => {
    for (const wire of wires) wire.halfOpen();
    const ms = between(random, 500, 2500);
    await sleep(ms);
    return `half-open for ${ms} ms, or until noticed`;
  }),
  fault('reply lost', async (wires, random) => {
    const ms = between(random, 500, 2500);
    const one = between(random, 2, 8);
    for (const wire of wires)
      wire.judge(({ name }) =>
        SCRIPTS.has(name) && random.below(one) === 0 ? { answered: () => 'cut' } : 'pass',
      );
    await sleep(ms);
    return `one of ${one} replies lost for ${ms} ms`;
  }),
];

function fault(name: string, befall: (wires: WorkerWires[], random: Dice) => Promise<string>): GroundFault {
  return {
    name,
    lossy: false,
    async inject({ ground }, random) {
      const wires = someOf(random, ground.wires);
      try {
        const how = await befall(wires, random);
        return `wires of worker ${wires.map(({ worker }) => worker).join(', ')}: ${how}`;
      } finally {
        for (const wire of wires) wire.restore();
      }
    },
  };
}
