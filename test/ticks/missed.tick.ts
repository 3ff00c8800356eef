import { Cron, ScheduleModule } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { currentLock, DistributedLock, DistributedLockModule, LockService } from 'nestjs-distributed-lock';
import { expect } from 'vitest';
import { uniquePrefix } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';

/** For longer than this a claim is not repeated, in ms. */
const PATIENCE = 5000;

/** A Redis that grants nothing for a while. */
export interface Outage {
  readonly url: string;
  begin(): unknown;
  end(): unknown;
}

/** Lets a tick of two jobs come in an outage, and expects that the one with catchUp runs after it, and the other one does not. */
export async function missTick({ url, begin, end }: Outage): Promise<void> {
  // Far enough for the application to start.
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
  const locks = { redis: url, namePrefix: uniquePrefix(), shutdownTimeout: 100 };
  const app = await Test.createTestingModule({
    imports: [ScheduleModule.forRoot(), DistributedLockModule.forRoot(locks)],
    providers: [Jobs],
  }).compile();
  app.useLogger(false);
  try {
    await app.init();
    const { jobs } = app.get(LockService);
    const isKnown = async (job: string) => (await jobs.status(job))?.mark !== undefined;
    await until('both are known', async () => (await isKnown('made up for')) && (await isKnown('left out')));
    expect(Date.now()).toBeLessThan(tick);
    await begin();
    const isOver = () => Date.now() > tick + PATIENCE + 1000;
    await until('no alarm claims the tick any more', isOver, scaled(20_000));
    expect(ran).toEqual([]);
    await end();
    await until('a run', () => ran.length > 0, 10_000);
    expect(ran).toEqual(['made up for', tick]);
    expect((await jobs.status('left out'))?.counts.completed).toBe(0);
  } finally {
    await app.close();
  }
}
