import { expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { KindStage } from './kind.stage.js';

/** Callers of each service, and how often each of them takes the lock. */
const CALLERS = 8;
const TIMES = 60;

test(
  'callers of two services that take a fair lock again and again need little more than three commands a hold',
  { timeout: scaled(60_000) },
  () =>
    KindStage.play('own', async (stage) => {
      const { faults } = stage;
      const services = [await faults.open(), await faults.open()];
      const holders: string[] = [];
      let inside = 0;
      let most = 0;
      const work = async ({ holder }: { readonly holder: string }) => {
        holders.push(holder);
        inside += 1;
        most = Math.max(most, inside);
        // Another holder would come in this turn of the event loop, or in the next one.
        await new Promise(setImmediate);
        inside -= 1;
      };
      const callers = services.flatMap((service) =>
        Array.from({ length: CALLERS }, async () => {
          const lock = service.getFairLock('x');
          for (let time = 0; time < TIMES; time += 1) await lock.using(work);
        }),
      );
      await Promise.all(callers);
      const sent = [...(await stage.sent())];
      const total = sent.reduce((sum, [, calls]) => sum + calls, 0);
      const holds = services.length * CALLERS * TIMES;
      console.log(`${holds} holds: ${(total / holds).toFixed(2)} commands each (${sent.join(' ')})`);
      expect(most).toBe(1);
      // No id is used twice, reserved or not.
      expect(new Set(holders).size).toBe(holds);
      expect(total / holds).toBeLessThan(3.6);
      await until('no channel is left', async () => (await faults.services.channels()).length === 0);
    }),
);
