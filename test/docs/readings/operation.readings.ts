import { ScheduleModule } from '@nestjs/schedule';
import { expect } from 'vitest';
import { until } from '../../support/until.js';
import type { Readings } from '../doc.stage.js';

export const OPERATION_READINGS: Readings = {
  'docs/observability.md': {
    'health.controller.ts': async (stage, { 'health.controller.ts': { HealthModule } }) => {
      const app = await stage.boot({ imports: [HealthModule] });
      const answer = await fetch(`${await app.getUrl()}/health`);
      expect([answer.status, await answer.json()]).toMatchObject([200, { status: 'ok' }]);
    },
    'tracing.module.ts': async (stage, { 'tracing.module.ts': { TracingModule } }) => {
      const app = await stage.boot({ imports: [TracingModule] });
      expect(await app.get(stage.library.LockService).using('traced', () => 'ran')).toBe('ran');
    },
  },
  'docs/leader-election.md': {
    'leader.jobs.ts': async (stage, { 'leader.jobs.ts': { PriceFeed } }) => {
      const app = await stage.boot({ imports: [ScheduleModule.forRoot()], providers: [PriceFeed] });
      const feed = app.get(PriceFeed);
      await until(
        'a price of the leader',
        async () => (await feed.price('A').catch(() => undefined)) !== undefined,
      );
    },
    'queue.consumer.ts': async (stage, { 'queue.consumer.ts': { consume } }) => {
      const stored: unknown[] = [];
      const next = async (): Promise<string> =>
        await new Promise((resolve) => setTimeout(resolve, 5, 'message'));
      const election = consume(await stage.locks(), next, async (message: string, token: bigint) => {
        stored.push([message, typeof token]);
      });
      await until('a message of the leader', () => stored.length > 0);
      await election.stop();
      expect(stored[0]).toEqual(['message', 'bigint']);
    },
  },
  'docs/environments.md': {
    'environment.module.ts': async (stage, { 'environment.module.ts': { EnvironmentModule } }) => {
      const app = await stage.bootModule(EnvironmentModule);
      await app.get(stage.library.LockService).using('a', async () => {
        expect(await stage.redis().exists('lock:development:a')).toBe(1);
      });
    },
  },
  'docs/nest-add.md': {
    'wired.module.ts': async (stage, { 'wired.module.ts': { AppModule } }) => {
      const app = await stage.bootModule(AppModule);
      expect(await app.get(stage.library.LockService).using('a', () => 'ran')).toBe('ran');
    },
  },
};
