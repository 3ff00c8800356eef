import { ScheduleModule } from '@nestjs/schedule';
import { expect } from 'vitest';
import { until } from '../../support/until.js';
import type { Readings } from '../doc.stage.js';

const work = async (): Promise<void> => {};

export const RECIPE_READINGS: Readings = {
  'docs/recipes/cron.md': {
    'cleanup.job.ts': async (stage, { 'cleanup.job.ts': { CleanupJob } }) => {
      const app = await stage.boot({ imports: [ScheduleModule.forRoot()], providers: [CleanupJob] });
      const { jobs } = app.get(stage.library.LockService);
      expect(await jobs.runNow('cleanup')).toBe(true);
      await until('it has run', () => app.get(CleanupJob).deleted.length === 3);
      expect(app.get(CleanupJob).deleted).toEqual(['a', 'b', 'c']);
    },
    'invoice.job.ts': async (stage, { 'invoice.job.ts': { InvoiceJob, InvoiceTable } }) => {
      const table = new InvoiceTable();
      const provider = { provide: InvoiceJob, useFactory: () => new InvoiceJob(table) };
      const app = await stage.boot({ imports: [ScheduleModule.forRoot()], providers: [provider] });
      const locks = app.get(stage.library.LockService);
      expect(await locks.jobs.runNow('invoices')).toBe(true);
      await until('it has run', async () => (await locks.getRuns('invoices')).length === 1);
      const [run] = await locks.getRuns('invoices');
      expect([...table.rows]).toEqual([`a@${run?.tick}`, `b@${run?.tick}`]);
    },
    'job.report.ts': async (stage, { 'job.report.ts': { lastRuns } }) => {
      const locks = await stage.locks();
      await locks.runOnce('books', new Date('2026-01-01'), work);
      expect(await lastRuns(locks, 'books')).toEqual(['2026-01-01T00:00:00.000Z completed']);
    },
  },
  'docs/recipes/heartbeat.md': {
    'monitored.jobs.ts': async (_, { 'monitored.jobs.ts': { cronitor, betterStack } }) => {
      expect(cronitor('https://cronitor.link/p/key/import')).toEqual({
        start: 'https://cronitor.link/p/key/import?state=run',
        success: 'https://cronitor.link/p/key/import?state=complete',
        failure: 'https://cronitor.link/p/key/import?state=fail',
      });
      expect(betterStack('https://host/token')).toMatchObject({ failure: 'https://host/token/fail' });
      expect([cronitor(undefined), betterStack(undefined)]).toEqual([undefined, undefined]);
    },
  },
  'docs/recipes/endpoints.md': {
    'withdrawals.controller.ts': async (
      stage,
      { 'withdrawals.controller.ts': { WithdrawalsController } },
    ) => {
      const app = await stage.boot({ controllers: [WithdrawalsController] });
      const controller = app.get(WithdrawalsController);
      const url = `${await app.getUrl()}/accounts`;
      const post = async (path: string, headers = {}): Promise<Response> =>
        await fetch(`${url}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: '{"amount":10}',
        });
      const answers = await Promise.all(Array.from({ length: 4 }, async () => await post('/1/withdrawals')));
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
      expect(controller.balances.get('1')).toBe(60);
      const locks = app.get(stage.library.LockService);
      await locks.using('export:1', async () => {
        expect(await (await post('/1/exports')).json()).toEqual({ state: 'under way' });
      });
      expect(await (await post('/1/exports')).json()).toEqual({ state: 'done for 1' });
      expect(await (await post('/1/transfers/2', { 'x-amount': '5' })).text()).toBe('5 from 1 to 2');
      await locks.using('account:2', async () => {
        const busy = await post('/2/withdrawals');
        expect([busy.status, busy.headers.get('retry-after')]).toEqual([423, '1']);
      });
    },
    'tenant.controller.ts': async (stage, { 'tenant.controller.ts': { TenantController } }) => {
      const app = await stage.boot({ controllers: [TenantController] });
      const post = async (): Promise<Response> =>
        await fetch(`${await app.getUrl()}/imports`, { method: 'POST', headers: { 'x-tenant': 'a' } });
      const answers = await Promise.all([post(), post(), post()]);
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
      expect(app.get(TenantController).most).toBe(1);
    },
  },
  'docs/recipes/services.md': {
    'stock.service.ts': async (stage, { 'stock.service.ts': { StockService } }) => {
      const service = (await stage.boot({ providers: [StockService] })).get(StockService);
      const sales = await Promise.all([service.sell('book'), service.sell('book')]);
      expect(sales.toSorted()).toEqual(['out of stock', 'sold']);
      expect((await Promise.all([service.recount(), service.recount()])).toSorted()).toEqual([false, true]);
      await service.move('book', 'shelf');
      expect([...service.stock]).toEqual([
        ['book', -1],
        ['shelf', 1],
      ]);
    },
    'rates.client.ts': async (stage, { 'rates.client.ts': { RatesClient } }) => {
      const client = (await stage.boot({ providers: [RatesClient] })).get(RatesClient);
      const many = Array.from({ length: 12 }, async () => await client.fetch('EUR'));
      expect(new Set(await Promise.all(many))).toEqual(new Set(['1 EUR']));
    },
    'migrations.service.ts': async (stage, { 'migrations.service.ts': { MigrationsService } }) => {
      const parts = { providers: [MigrationsService] };
      const options = { namePrefix: 'migrations:' };
      await Promise.all([stage.boot(parts, options), stage.boot(parts, options)]);
      expect(MigrationsService.runs).toBe(1);
    },
  },
  'docs/recipes/from-redlock.md': {
    'redlock.after.ts': async (stage, { 'redlock.after.ts': { transfer, report } }) => {
      const locks = await stage.locks();
      let moving = 0;
      const move = async (): Promise<void> => {
        moving += 1;
        expect(moving).toBe(1);
        await Promise.resolve();
        moving -= 1;
      };
      await Promise.all([transfer(locks, 'a', 'b', move), transfer(locks, 'b', 'a', move)]);
      await report(locks, async () => {
        expect(await locks.getLock('report').isLocked()).toBe(true);
      });
      expect(await locks.getLock('report').isLocked()).toBe(false);
    },
  },
  'docs/recipes/from-redis-semaphore.md': {
    'semaphore.after.ts': async (stage, { 'semaphore.after.ts': { rebuild, download } }) => {
      const locks = await stage.locks();
      await rebuild(locks, async (signal: AbortSignal) => signal.throwIfAborted());
      let end = (): void => undefined;
      let inside = 0;
      const gate = new Promise<void>((resolve) => (end = resolve));
      const six = Array.from({ length: 6 }, async () =>
        download(locks, async () => {
          inside += 1;
          await gate;
        }),
      );
      await until('five downloads', () => inside === 5);
      end();
      expect((await Promise.all(six)).filter(Boolean)).toHaveLength(5);
    },
  },
  'docs/recipes/from-nest-redlock.md': {
    'nest.redlock.after.ts': async (stage, { 'nest.redlock.after.ts': { AppModule, Comments } }) => {
      const comments = (await stage.bootModule(AppModule)).get(Comments);
      expect(await Promise.all([comments.add(1, 'a'), comments.add(1, 'b')])).toEqual(['1: a', '1: b']);
    },
  },
  'docs/recipes/from-murlock.md': {
    'murlock.after.ts': async (stage, { 'murlock.after.ts': { AppModule, Orders } }) => {
      const orders = (await stage.bootModule(AppModule)).get(Orders);
      expect(await Promise.all([orders.pay({ id: '1' }), orders.pay({ id: '1' }), orders.close()])).toEqual([
        'paid 1',
        'paid 1',
        'closed',
      ]);
    },
  },
};
