import { expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { KindStage } from './kind.stage.js';

test(
  'where Redis refuses to publish, the waiters of a service still go on when it unlocks',
  { timeout: scaled(20_000) },
  () =>
    KindStage.play('own', async (stage) => {
      const { faults } = stage;
      await faults.admin.acl('SETUSER', 'mute', 'on', '>secret', '~*', '&*', '+@all', '-publish');
      const service = await faults.open({}, { port: faults.port, username: 'mute', password: 'secret' });
      const lock = service.getFairLock('x');
      const held = await lock.lock();
      const order: number[] = [];
      const waiters = [1, 2, 3].map((number) => lock.using(() => order.push(number), { waitTime: '5s' }));
      await stage.queued('x', 3);
      await held.unlock();
      expect(await Promise.all(waiters)).toEqual([1, 2, 3]);
      expect(order).toEqual([1, 2, 3]);
    }),
);
