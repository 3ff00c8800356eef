import { expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { KindStage } from './kind.stage.js';

const WAITERS = 1000;
/** Processes tell that they live once a second. */
const IDLE = 5000;

test(
  'a thousand fair waiters of two services send one sign of life a second per service, then get the lock in their order',
  { timeout: scaled(60_000) },
  () =>
    KindStage.play('own', async (stage) => {
      const { faults } = stage;
      const holder = await faults.open();
      const services = [await faults.open(), await faults.open()];
      const held = await holder.getFairLock('x').lock({ leaseTime: '60s' });
      const holders: string[] = [];
      const ends = Array.from({ length: WAITERS }, (_, number) =>
        services[number % 2]?.getFairLock('x').using(({ holder: id }) => holders.push(id)),
      );
      await until('all stand in the queue', async () => (await stage.queue('x')).length === WAITERS, 20_000);
      const channels = async () => (await faults.services.channels()).length;
      await until('each listens on its own channel', async () => (await channels()) === WAITERS, 20_000);
      const total = async () => [...(await stage.sent()).values()].reduce((sum, calls) => sum + calls, 0);
      let last = -1;
      await until(
        'nothing of the beginning is under way',
        async () => last === (last = await total()),
        20_000,
      );

      const queue = await stage.queue('x');
      const before = await stage.sent();
      const start = performance.now();
      await until('they have waited', () => performance.now() - start > IDLE, IDLE + 5000);
      const after = await stage.sent();
      const seconds = (performance.now() - start) / 1000;
      const sent = [...after].map(([name, calls]) => [name, calls - (before.get(name) ?? 0)] as const);
      const calls = sent.reduce((sum, [, count]) => sum + count, 0);
      console.log(
        `${WAITERS} waiters: ${(calls / seconds / services.length).toFixed(2)} commands a second and service ` +
          `(${sent.map(([name, count]) => `${name} ${count}`).join(', ')} in ${seconds.toFixed(1)} s)`,
      );
      expect(calls / seconds / services.length).toBeLessThan(1.5);
      expect(await stage.queue('x')).toEqual(queue);

      const released = performance.now();
      await held.unlock();
      await Promise.all(ends);
      const rest = (await total()) - calls - [...before.values()].reduce((sum, count) => sum + count, 0);
      console.log(
        `then ${WAITERS} holds in ${(performance.now() - released).toFixed(0)} ms, ${(rest / WAITERS).toFixed(2)} commands each`,
      );
      expect(holders).toEqual(queue);
    }),
);
