import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { KindStage } from './kind.stage.js';
import { standStill } from '../support/stand.still.js';

test('locks that were granted while the process stood still are not given up for want of time', () =>
  KindStage.play('shared', async (stage) => {
    const service = await stage.faults.open();
    await service.getMultiLock('b', 'c').using(() => undefined);
    for (const lock of [service.getLock('a'), service.getMultiLock('b', 'c')]) {
      const asking = lock.tryLock({ waitTime: 100 });
      // A client may write at the end of the turn.
      await turn();
      await turn();
      // The answer comes meanwhile, and only wants to be read.
      standStill(600);
      const handle = await asking;
      expect(await handle?.unlock()).toBe('released');
    }
  }));
