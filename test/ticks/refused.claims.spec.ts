import { Cron, ScheduleModule } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { Redis } from 'ioredis';
import { currentLock, DistributedLock, DistributedLockModule, LockService } from 'nestjs-distributed-lock';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ownRedis } from '../locks/own.redis.js';
import { uniquePrefix } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';

/** For longer than this a claim is not repeated, in ms. */
const PATIENCE = 5000;

const server = ownRedis();
let admin: Redis;
beforeAll(() => {
  admin = new Redis(server().url);
});
afterAll(() => admin.disconnect());

// No connection breaks, so none comes back: nothing but another claim tells that Redis grants again.
test(
  'a tick that Redis refused for too long is caught up with when it grants again, and without catchUp it is not',
  async () => {
    const tick = Math.ceil((Date.now() + scaled(3000)) / 1000) * 1000;
    const cron = `${new Date(tick).getUTCSeconds()} ${new Date(tick).getUTCMinutes()} * * * *`;
    const ran: (string | number | undefined)[] = [];
    class Jobs {
      @Cron(cron, { timeZone: 'UTC' })
      @DistributedLock('made up for', { catchUp: '1m' })
      async caught(): Promise<void> {
        ran.push('made up for', currentLock()?.tick);
      }

      @Cron(cron, { timeZone: 'UTC' })
      @DistributedLock('left out')
      async left(): Promise<void> {
        ran.push('left out', currentLock()?.tick);
      }
    }
    const locks = { redis: server().url, namePrefix: uniquePrefix(), shutdownTimeout: 100 };
    const app = await Test.createTestingModule({
      imports: [ScheduleModule.forRoot(), DistributedLockModule.forRoot(locks)],
      providers: [Jobs],
    }).compile();
    app.useLogger(false);
    const replicasToWrite = (least: number) => admin.config('SET', 'min-replicas-to-write', `${least}`);
    try {
      await app.init();
      const { jobs } = app.get(LockService);
      const isKnown = async (job: string) => (await jobs.status(job))?.mark !== undefined;
      await until('both jobs are known', async () => (await isKnown('made up for')) && isKnown('left out'));
      expect(Date.now()).toBeLessThan(tick);
      await replicasToWrite(1);
      await until('no alarm claims the tick any more', () => Date.now() > tick + PATIENCE + 1000, 30_000);
      expect(ran).toEqual([]);
      await replicasToWrite(0);
      await until('it has run', () => ran.length > 0, 10_000);
      expect(ran).toEqual(['made up for', tick]);
      expect((await jobs.status('left out'))?.counts.completed).toBe(0);
    } finally {
      await replicasToWrite(0);
      await app.close();
    }
  },
  scaled(60_000),
);
