import { describe, expect, test } from 'vitest';
import type { FaultWorker } from '../support/faults/fault.worker.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { KEY, LeaderStage } from './leader.stage.js';

/** The lease in this test, in ms. */
const LEASE = 1000;

interface Term {
  readonly worker: FaultWorker;
  readonly token: bigint;
}

/** Every leadership so far, in the order of the tokens. */
function terms(workers: readonly FaultWorker[]): Term[] {
  return workers
    .flatMap((worker) => worker.of('elected').map(({ token }) => ({ worker, token: BigInt(token) })))
    .toSorted((one, other) => Number(one.token - other.token));
}

/** The leadership of that number, from 1 on; and how long it took to come, in ms. */
async function term(workers: readonly FaultWorker[], number: number): Promise<Term & { took: number }> {
  const start = performance.now();
  await until(`leadership ${number}`, () => terms(workers).length >= number);
  const found = terms(workers)[number - 1];
  if (found === undefined) throw new Error('unreachable');
  return { ...found, took: performance.now() - start };
}

describe('leaders in processes of their own', () => {
  test(
    'follow each other after kill -9, SIGSTOP and SIGTERM, and are never two',
    { timeout: scaled(40_000) },
    () =>
      LeaderStage.play(async (stage) => {
        const { faults } = stage;
        const { admin, services } = faults;
        const journal = `{${services.prefix}journal}`;
        const writes = ({ token }: Term) =>
          until('it writes', async () => (await admin.lindex(journal, -1))?.startsWith(`${token} `) === true);
        const workers = await Promise.all(
          [1, 2, 3].map(() => faults.fork('leader.worker.js', { lockWatchdogTimeout: LEASE })),
        );
        for (const worker of workers) worker.send({ do: 'stand', name: KEY });
        const first = await term(workers, 1);

        await writes(first);
        await first.worker.kill();
        const second = await term(workers, 2);
        expect(second.took).toBeLessThan(LEASE + scaled(100));

        await writes(second);
        await second.worker.order({ do: 'watch', name: KEY, gap: LEASE / 2, by: 'loop' }, 'watching');
        second.worker.signal('SIGSTOP');
        const stopped = performance.now();
        const third = await term(workers, 3);
        expect(third.took).toBeLessThan(LEASE + scaled(100));
        expect(third.worker).not.toBe(second.worker);
        await writes(third);
        await until('a lease is over', () => performance.now() - stopped > LEASE);
        second.worker.signal('SIGCONT');
        const { sighting } = await second.worker.first('seen');
        expect(sighting).toMatchObject({ wasAborted: false, isHeld: false, isAborted: true });
        expect(await second.worker.first('revoked')).toMatchObject({ code: 'LOST' });
        // Its late write comes with a token that is over.
        expect(await second.worker.first('stale')).toMatchObject({ token: `${second.token}` });
        await stage.waits();

        third.worker.signal('SIGTERM');
        const fourth = await term(workers, 4);
        expect(fourth.took).toBeLessThan(scaled(400));
        expect(fourth.worker).toBe(second.worker);
        await third.worker.exited;
        await writes(fourth);
        fourth.worker.signal('SIGTERM');
        await fourth.worker.exited;

        const lines = (await admin.lrange(journal, 0, -1)).map((line) => line.split(' ').map(Number));
        expect(new Set(lines.map(([token]) => token)).size).toBe(4);
        const wrong = lines.filter(([token = 0, , begin = 0], at) => {
          const [tokenBefore = 0, , , endBefore = 0] = lines[at - 1] ?? [];
          return token < tokenBefore || begin < endBefore;
        });
        expect(wrong).toEqual([]);
        expect(workers.flatMap((worker) => worker.of('trouble'))).toEqual([]);
        await admin.del(journal, `${journal}:fence`);
      }),
  );
});
