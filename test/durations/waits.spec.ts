import type { INestApplication } from '@nestjs/common';
import type { LockModuleSettings } from 'nestjs-distributed-lock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { AppStage, MODULES, type ModuleName } from './app.stage.js';
import { CALL_WAITS, CONTROL_WAITS, MODULE_WAITS, WAIT } from './wait.doors.js';

let stage: AppStage;
let giveBack: () => Promise<unknown>;
beforeEach(() => {
  stage = new AppStage();
});
afterEach(async () => {
  await giveBack();
  await stage.close();
});

/** An application; another one has taken all that the doors ask for. */
async function startTaken(module: ModuleName, options: LockModuleSettings, waitTime?: number) {
  const other = await stage.other(module);
  const app = await stage.open(module, options, { waitTime });
  const semaphore = other.getSemaphore('s');
  const permits = other.getPermitExpirableSemaphore('p');
  await Promise.all([semaphore.trySetPermits(1), permits.trySetPermits(1)]);
  await semaphore.acquire();
  const held = await Promise.all([other.getLock('x').lock(), permits.acquire()]);
  const latch = other.getCountDownLatch('l');
  await latch.trySetCount(1);
  giveBack = async () => {
    await Promise.all(held.map((handle) => handle.unlock()));
    await Promise.all([semaphore.delete(), permits.delete(), latch.delete()]);
  };
  return app;
}

/** The call is refused, after its wait. */
async function expectWait(app: INestApplication, door: (app: INestApplication) => Promise<unknown>) {
  const start = performance.now();
  const [end] = await Promise.allSettled([door(app)]);
  const waited = performance.now() - start;
  const answer = end.status === 'fulfilled' ? end.value : Object(end.reason).code;
  expect([null, false, 423, 'NOT_ACQUIRED']).toContain(answer);
  expect(waited).toBeGreaterThan(WAIT - 5);
  expect(waited).toBeLessThan(WAIT + scaled(400));
}

describe('the waitTime of a call lasts from that call', () => {
  test.each(Object.entries(CALL_WAITS))('%s', async (_, door) => {
    await expectWait(await startTaken('DistributedLockModule', {}, WAIT), door);
  });

  test.each(Object.entries(CONTROL_WAITS))('%s', async (_, door) => {
    await expectWait(await startTaken('DistributedLockTestingModule', {}), door);
  });
});

describe.each(MODULES)('a waitTime of %s lasts from a call without one', (module) => {
  test.each(Object.entries(MODULE_WAITS))('%s', async (option, door) => {
    await expectWait(await startTaken(module, { waitTime: { [option]: WAIT } }), door);
  });
});
