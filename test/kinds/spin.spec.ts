import { describe, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { KindStage } from './kind.stage.js';

const options = { timeout: scaled(20_000) };
const name = 'x';

describe.concurrent('waiters of a spin lock', () => {
  test('subscribe to nothing', options, () =>
    KindStage.play('own', async (stage) => {
      const { faults } = stage;
      const [one, other] = [await faults.open(), await faults.open()];
      const held = await one.getSpinLock(name).lock();
      const waiting = [1, 2, 3].map(() => other.getSpinLock(name).lock());
      const start = performance.now();
      while (performance.now() - start < 500) {
        expect(await faults.admin.pubsub('CHANNELS', '*')).toEqual([]);
        const clients = String(await faults.admin.client('LIST'));
        expect(clients).not.toMatch(/ s?sub=[1-9]| psub=[1-9]/);
      }
      await held.unlock();
      for (const handle of waiting) await (await handle).unlock();
      expect((await stage.sent()).get('subscribe') ?? 0).toBe(0);
    }),
  );

  test('retry again and again, at pauses that double up to an eighth of a second', options, () =>
    KindStage.play('own', async (stage) => {
      const { faults } = stage;
      const [one, other] = [await faults.open(), await faults.open()];
      const held = await one.getSpinLock(name).lock();
      await other.getSpinLock('warm').using(() => undefined);
      const calls = async () => (await stage.sent()).get('evalsha') ?? 0;
      const before = await calls();
      const start = performance.now();
      const waiting = [1, 2, 3, 4].map(() => other.getSpinLock(name).lock());
      await until('two seconds are over', () => performance.now() - start > 2000);
      const seconds = (performance.now() - start) / 1000;
      const asked = (await calls()) - before;
      console.log(`four waiters of one service asked ${asked} times in ${seconds.toFixed(1)} s`);
      // At once, after 1, 2, 4, … 64 ms, and then every 96 to 160 ms: for all of them together.
      expect(asked).toBeLessThan(9 + seconds * 10.5 + 2);
      expect(asked).toBeGreaterThan(5);
      const freed = performance.now();
      await held.unlock();
      for (const handle of waiting) await (await handle).unlock();
      expect(performance.now() - freed).toBeLessThan(160 + scaled(500));
    }),
  );

  test('of users without any right to pub/sub get the lock, re-enter it and give it back', options, () =>
    KindStage.play('own', async (stage) => {
      const { faults } = stage;
      await faults.admin.acl('SETUSER', 'mute', 'on', '>secret', '~*', 'resetchannels', '+@all', '-@pubsub');
      const user = { port: faults.port, username: 'mute', password: 'secret' };
      const [one, other] = [await faults.open({}, user), await faults.open({}, user)];
      const notices = [faults.notices(one), faults.notices(other)];
      const mute = (await faults.open({}, user)).getLock('plain');
      await expect(mute.using(() => 'ran')).resolves.toBe('ran');
      const lock = one.getSpinLock(name);
      for (let turn = 0; turn < 5; turn += 1) {
        const held = await lock.lock();
        const waiting = other.getSpinLock(name).lock({ waitTime: '5s' });
        expect(await (await held.run(() => lock.lock())).unlock()).toBe('kept');
        expect(await held.unlock()).toBe('released');
        expect(await (await waiting).unlock()).toBe('released');
      }
      const held = await lock.lock();
      const start = performance.now();
      expect(await other.getSpinLock(name).tryLock({ waitTime: 300 })).toBeNull();
      expect(performance.now() - start).toBeLessThan(300 + scaled(300));
      expect(await other.getSpinLock(name).forceUnlock()).toBe(true);
      expect(await held.unlock()).toBe('lost');
      expect(notices.flat().filter(({ kind }) => kind !== 'lost')).toEqual([]);
    }),
  );
});
