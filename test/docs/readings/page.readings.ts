import { ScheduleModule } from '@nestjs/schedule';
import { expect, vi } from 'vitest';
import { until } from '../../support/until.js';
import type { Readings } from '../doc.stage.js';

/** The pages for a first reading, and the recipes that belong to them. */
export const PAGE_READINGS: Readings = {
  'docs/concepts.md': {
    'unsafe.account.ts': async (_, { 'unsafe.account.ts': { Account } }) => {
      const account = new Account();
      await Promise.all([account.withdraw(10), account.withdraw(10)]);
      expect(account.balance).toBe(90);
    },
    'safe.account.ts': async (stage, { 'safe.account.ts': { SafeAccount } }) => {
      const account = new SafeAccount(await stage.locks());
      await Promise.all([account.withdraw(10), account.withdraw(10)]);
      expect(account.balance).toBe(80);
    },
    'careful.work.ts': async (stage, { 'careful.work.ts': { payAll } }) => {
      const paid: string[] = [];
      await payAll(await stage.locks(), [async () => void paid.push('a'), async () => void paid.push('b')]);
      expect(paid).toEqual(['a', 'b']);
    },
    'nested.ts': async (stage, { 'nested.ts': { nested } }) => {
      expect(await nested(await stage.locks())).toBe('no deadlock');
    },
  },
  'docs/which-scheduler.md': {
    'nightly.invoices.ts': async (stage, { 'nightly.invoices.ts': { NightlyInvoices } }) => {
      const app = await stage.boot({ imports: [ScheduleModule.forRoot()], providers: [NightlyInvoices] });
      expect(await app.get(stage.library.LockService).jobs.runNow('nightly-invoices')).toBe(true);
      await until('it has run', () => app.get(NightlyInvoices).runs === 1);
    },
    'reminder.tick.ts': async (stage, { 'reminder.tick.ts': { ReminderTick } }) => {
      const added: string[] = [];
      const queue = { add: async (_: string, __: object, { jobId }: { jobId: string }) => added.push(jobId) };
      const provider = { provide: ReminderTick, useFactory: () => new ReminderTick(queue) };
      const app = await stage.boot({ imports: [ScheduleModule.forRoot()], providers: [provider] });
      const locks = app.get(stage.library.LockService);
      expect(await locks.jobs.runNow('reminders')).toBe(true);
      await until(
        'it is recorded',
        async () => (await locks.jobs.status('reminders'))?.counts.completed === 1,
      );
      const [run] = await locks.getRuns('reminders');
      expect(added).toEqual([`ada-${run?.tick}`, `bob-${run?.tick}`]);
    },
  },
  'docs/troubleshooting.md': {
    'busy.or.down.ts': async (stage, { 'busy.or.down.ts': { pay } }) => {
      const locks = await stage.locks();
      expect(await pay(locks, '1')).toBe('paid');
      const handle = await locks.getLock('payment:2').lock();
      expect(await pay(locks, '2')).toBe('busy: NOT_ACQUIRED');
      await handle.unlock();
      const away = await stage.locks({ commandTimeout: 100, redis: { port: 1, lazyConnect: true } });
      expect(await pay(away, '1')).toBe('try later: UNAVAILABLE');
    },
  },
  'docs/deploys.md': {
    'graceful.main.ts': async (stage, { 'graceful.main.ts': { bootstrap } }) => {
      vi.stubEnv('PORT', '0');
      const app = await bootstrap();
      stage.after(() => app.close());
      expect(await app.get(stage.library.LockService).using('a', () => 'ran')).toBe('ran');
    },
  },
  'docs/load.md': {
    'commands.per.second.ts': async (_, { 'commands.per.second.ts': { commandsPerSecond } }) => {
      const size = { instances: 20, holds: 200, held: 500, ticks: 30 / 60 };
      expect(Math.round(commandsPerSecond(size))).toBe(416);
    },
  },
  'docs/recipes/multi-tenant.md': {
    'tenant.locks.ts': async (stage, { 'tenant.locks.ts': { TenantLocks, tenantKey } }) => {
      const locks = (await stage.boot({ providers: [TenantLocks] })).get(TenantLocks);
      expect(await Promise.all([locks.import('a'), locks.import('a'), locks.export('a')])).toEqual([
        'imported a',
        'imported a',
        'exported a',
      ]);
      expect(tenantKey('a:b', 'import')).toBe('tenant:a%3Ab:import');
    },
    'tenant.billing.ts': async (stage, { 'tenant.billing.ts': { TenantBilling } }) => {
      const app = await stage.boot({ imports: [ScheduleModule.forRoot()], providers: [TenantBilling] });
      const locks = app.get(stage.library.LockService);
      expect(await locks.jobs.runNow('tenant-billing')).toBe(true);
      await until('it is recorded', async () => {
        const status = await locks.jobs.status('tenant-billing');
        return status?.counts.completed === 1;
      });
      expect(app.get(TenantBilling).billed).toEqual(['acme', 'zenith']);
    },
    'tenant.reports.ts': async (stage, { 'tenant.reports.ts': { TenantReports } }) => {
      const options = { namePrefix: 'reports:' };
      const reports = await Promise.all(
        [1, 2].map(async () => new TenantReports(await stage.locks(options))),
      );
      const eight = 20_000 * 1440 + 480;
      for (const minute of [eight - 1, eight, eight, eight + 1, eight + 1440])
        await Promise.all(reports.map((report) => report.send(minute)));
      expect(reports.flatMap(({ sent }) => sent)).toEqual(['acme', 'acme']);
    },
  },
  'docs/recipes/rename-a-job.md': {
    'retired.job.ts': async (stage, { 'retired.job.ts': { retire } }) => {
      const locks = await stage.locks();
      let end = (): void => undefined;
      const gate = new Promise<void>((resolve) => (end = resolve));
      const run = locks.runOnce('invoices', new Date(), () => gate);
      await until('it runs', async () => (await locks.jobs.status('invoices'))?.running !== undefined);
      const retired = retire(locks, 'invoices');
      await until('it is paused', async () => (await locks.jobs.status('invoices'))?.paused !== undefined);
      end();
      await Promise.all([run, retired]);
      expect((await locks.jobs.status('invoices'))?.running).toBeUndefined();
    },
  },
  'docs/recipes/bullmq.md': {
    'shared.redis.ts': async (stage, { 'shared.redis.ts': { SharedRedisModule } }) => {
      const app = await stage.bootModule(SharedRedisModule);
      expect(await app.get(stage.library.LockService).using('a', () => 'ran')).toBe('ran');
    },
    'printer.limit.ts': async (stage, { 'printer.limit.ts': { withPrinter } }) => {
      const locks = await stage.locks();
      let inside = 0;
      const print = async (): Promise<void> => {
        inside += 1;
        expect(inside).toBeLessThanOrEqual(3);
        await new Promise((resolve) => setTimeout(resolve, 5));
        inside -= 1;
      };
      await Promise.all(Array.from({ length: 7 }, () => withPrinter(locks, print)));
    },
  },
};
