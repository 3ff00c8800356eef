import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { ScheduleModule } from '@nestjs/schedule';
import { fileURLToPath } from 'node:url';
import { of } from 'rxjs';
import { expect } from 'vitest';
import type { Readings } from '../doc.stage.js';

export const GUIDE_READINGS: Readings = {
  'docs/locks.md': {
    'kinds.ts': async (stage, { 'kinds.ts': { Catalogue } }) => {
      const { LockService } = stage.library;
      const provider = {
        provide: Catalogue,
        inject: [LockService],
        useFactory: (locks: unknown) => new Catalogue(locks),
      };
      const catalogue = (await stage.boot({ providers: [provider] })).get(Catalogue);
      expect(await Promise.all([catalogue.search(), catalogue.search(), catalogue.rebuild()])).toEqual([
        ['a book'],
        ['a book'],
        undefined,
      ]);
      expect(await catalogue.move('a', 'b')).toBe('a to b');
      expect(await catalogue.print()).toBe('printed');
      expect(await catalogue.inOrder()).toBe('your turn');
    },
    'whole.work.ts': async (stage, { 'whole.work.ts': { charge, download } }) => {
      const locks = await stage.locks();
      expect(await charge(locks, () => of('charged'))).toBe('charged');
      const path = fileURLToPath(import.meta.url);
      const file = await download(locks, path);
      expect(await locks.getLock(`file:${path}`).isLocked()).toBe(true);
      expect(await text(file)).toContain('docs/locks.md');
      while (await locks.getLock(`file:${path}`).isLocked()) await sleep(5);
    },
  },
  'docs/ticks.md': {
    'nightly.report.ts': async (stage, { 'nightly.report.ts': { NightlyReport } }) => {
      const imports = [ScheduleModule.forRoot()];
      const app = await stage.boot({ imports, providers: [NightlyReport] });
      await app.get(NightlyReport).run();
      const locks = app.get(stage.library.LockService);
      expect(await locks.jobs.runNow('nightly-report')).toBe(true);
      expect((await locks.getRuns('nightly-report')).map(({ outcome }) => outcome)).toEqual(['completed']);
    },
    'job.operator.ts': async (stage, page) => {
      const [{ NightlyReport }, { rerunDuringMaintenance }] = [
        page['nightly.report.ts'],
        page['job.operator.ts'],
      ];
      const app = await stage.boot({ imports: [ScheduleModule.forRoot()], providers: [NightlyReport] });
      const locks = app.get(stage.library.LockService);
      expect(await rerunDuringMaintenance(locks, 'nightly-report')).toBe('the run completed');
    },
  },
  'docs/schedules.md': {
    'dynamic.job.ts': async (stage, { 'dynamic.job.ts': { closeTheBooks } }) => {
      const options = { appName: 'ledger', namePrefix: 'books:' };
      const [a, b] = [await stage.locks(options), await stage.locks(options)];
      const day = new Date('2026-01-01');
      expect(await closeTheBooks(a, day)).toBe('closed here');
      expect(await closeTheBooks(b, day)).toBe('completed by ledger');
    },
  },
  'docs/guards.md': {
    'transfers.ts': async (stage, { 'transfers.ts': { Transfers } }) => {
      const transfers = (await stage.boot({ providers: [Transfers] })).get(Transfers);
      await Promise.all([transfers.transfer('a', 'b', 5), transfers.transfer('b', 'a', 7)]);
      expect(transfers.booked.toSorted()).toEqual(['5 from a to b', '7 from b to a']);
      expect(await Promise.all([transfers.convert(2), transfers.loadRates()])).toEqual([4, undefined]);
      const [earlier, later] = [await transfers.close(), await transfers.close()];
      expect(later).toBeGreaterThan(earlier);
    },
  },
  'docs/semaphores.md': {
    'bounded.work.ts': async (stage, { 'bounded.work.ts': { report, allReports } }) => {
      const locks = await stage.locks();
      const all = allReports(locks, 2);
      while ((await locks.getCountDownLatch('reports').getCount()) !== 2) await sleep(5);
      expect(await report(locks, 'sales')).toMatch(/^sales under permit [\da-f]{32}$/);
      await report(locks, 'stock');
      expect(await all).toBe(true);
    },
  },
  'docs/fencing.md': {
    'guarded.withdrawal.ts': async (stage, { 'guarded.withdrawal.ts': { withdraw } }) => {
      const [locks, redis] = [await stage.locks(), stage.redis()];
      await redis.set('{account:1}:balance', 100);
      expect(await Promise.all([withdraw(locks, redis, '1', 30), withdraw(locks, redis, '1', 20)])).toEqual([
        70, 50,
      ]);
      expect(await redis.lrange('{account:1}:entries', 0, -1)).toEqual(['-30', '-20']);
    },
    'guarded.script.ts': async (stage, { 'guarded.script.ts': { raise } }) => {
      const redis = stage.redis();
      expect(await raise(redis, 5, 2n)).toBe(5);
      expect(await raise(redis, 4, 3n)).toBe(5);
      await expect(raise(redis, 9, 2n)).rejects.toThrow('STALE a newer token has passed');
    },
    'guarded.update.ts': async (stage, { 'guarded.update.ts': { setBalance } }) => {
      const locks = await stage.locks();
      let fence = 0n;
      const query = async (_: string, [token]: readonly unknown[]) => {
        const passes = BigInt(String(token)) >= fence;
        if (passes) fence = BigInt(String(token));
        return { rowCount: passes ? 1 : 0 };
      };
      await setBalance(locks, { query }, '1', 50);
      fence += 10n ** 18n;
      await expect(setBalance(locks, { query }, '1', 60)).rejects.toThrow('written by a newer holder');
    },
  },
  'docs/degraded-redis.md': {
    'payouts.ts': async (stage, { 'payouts.ts': { payOut } }) => {
      const locks = await stage.locks();
      expect(await payOut(locks, '1')).toBe('paid');
      const handle = await locks.getLock('payout:2').lock();
      expect(await payOut(locks, '2')).toBe('busy');
      await handle.unlock();
      const away = await stage.locks({ commandTimeout: 100, redis: { port: 1, lazyConnect: true } });
      expect(await payOut(away, '1')).toBe('queued');
    },
  },
  'docs/java.md': {
    'shared.stock.ts': async (stage, { 'shared.stock.ts': { Stock } }) => {
      const stock = (await stage.boot({ providers: [Stock] }, { namePrefix: '' })).get(Stock);
      await Promise.all([stock.reserve('a'), stock.reserve('b')]);
      expect(stock.reserved.toSorted()).toEqual(['a', 'b']);
    },
  },
  'docs/security.md': {
    'tls.options.ts': async (_, { 'tls.options.ts': { redis } }) => {
      expect(redis.tls.ca).toContain('nestjs-distributed-lock');
    },
  },
  'docs/guarantees.md': {
    'three.levels.ts': async (stage, { 'three.levels.ts': { sendReport, payAll, setPrice } }) => {
      const [locks, redis] = [await stage.locks(), stage.redis()];
      const paid: string[] = [];
      await sendReport(locks, async () => void paid.push('report'));
      expect(await payAll(locks, [async () => void paid.push('a'), async () => void paid.push('b')])).toBe(2);
      expect(paid).toEqual(['report', 'a', 'b']);
      await setPrice(locks, redis, 'book', 5);
      await setPrice(locks, redis, 'book', 6);
      expect(await redis.get('{price:book}')).toBe('6');
    },
  },
  'docs/managed-redis.md': {
    'invocation.ts': async (stage, { 'invocation.ts': { handler } }) => {
      const locks = await stage.locks();
      const calls = [
        await handler(locks, '2026-01-01T03:00:00Z'),
        await handler(locks, '2026-01-01T03:00:00Z'),
      ];
      expect(calls).toEqual(['done', 'already done']);
    },
  },
};
