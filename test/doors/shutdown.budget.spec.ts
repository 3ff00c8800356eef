import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Controller,
  Get,
  Inject,
  Injectable,
  Module,
  type INestApplication,
  type INestApplicationContext,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LockService, type LockHandle } from 'nestjs-distributed-lock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { DoorStage } from './door.stage.js';

/** In ms. */
const BUDGET = 1000;
/** Longer than any budget here: how long work goes on that nobody aborts. */
const FOREVER = 20_000;

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    setTimeout(resolve, FOREVER).unref();
  });
}

@Controller()
class Work {
  isRunning = false;
  abortedAt = 0;

  constructor(private readonly locks: LockService) {}

  @Get('until-aborted')
  untilAborted() {
    return this.locks.getLock('work').using(async ({ signal }) => {
      this.isRunning = true;
      await aborted(signal);
      this.abortedAt = performance.now();
      return 'ended';
    });
  }

  @Get('deaf')
  deaf() {
    return this.locks.getLock('work').using(async ({ signal }) => {
      this.isRunning = true;
      signal.addEventListener('abort', () => (this.abortedAt = performance.now()));
      await sleep(BUDGET * 4);
    });
  }

  @Get('waiting')
  async waiting() {
    this.isRunning = true;
    return await this.locks.getLock('taken').using(() => 'ran');
  }
}

@Injectable()
class SlowToDestroy {
  async onModuleDestroy(): Promise<void> {
    await sleep(BUDGET * 3);
  }
}

/** A worker whose module waits for it. */
@Injectable()
class Worker {
  readonly work: Promise<unknown>;
  abortedAt = 0;
  isRunning = false;

  constructor(@Inject(LockService) locks: LockService) {
    this.work = locks.getLock('worker').using(async ({ signal }) => {
      this.isRunning = true;
      await aborted(signal);
      this.abortedAt = performance.now();
    });
  }

  async onModuleDestroy(): Promise<void> {
    await this.work;
  }
}

let stage: DoorStage;
beforeEach(() => {
  stage = new DoorStage();
});
afterEach(() => stage.close());

/** One request on a connection of its own: the server would wait for one that is kept. */
async function request(app: INestApplication, path: string): Promise<{ status: number; body: string }> {
  const url = `${await app.getUrl()}${path}`;
  return await new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    }).on('error', reject);
  });
}

/** A bound in ms that began at `start` is kept. */
function expectAt(at: number, start: number, bound: number): void {
  expect(at - start).toBeGreaterThan(bound - 20);
  expect(at - start).toBeLessThan(bound + scaled(300));
}

async function running(work: { readonly isRunning: boolean }): Promise<void> {
  await until('the work has begun', () => work.isRunning);
}

describe('shutdownTimeout counts from the first hook', () => {
  test('while the server waits for a request: the signal aborts, the request is answered, the application closes', async () => {
    const app = await stage.start({ controllers: [Work], options: { shutdownTimeout: BUDGET } });
    const work = app.get(Work);
    const answer = request(app, '/until-aborted');
    await running(work);
    const start = performance.now();
    await app.close();
    expectAt(work.abortedAt, start, BUDGET);
    expectAt(performance.now(), start, BUDGET);
    expect(await answer).toMatchObject({ status: 200, body: 'ended' });
    expect(await stage.services.keys()).toEqual([]);
    const told = stage.logged.filter((line) => line.includes('The shutdown waits for'));
    expect(told).toEqual([expect.stringMatching(/lock "work" is held by \S+ since \d{4}-\S+ \(\d+ ms\)/)]);
  });

  test('while a request waits for a lock of another process: it is refused', async () => {
    const theirs: LockHandle = await stage.hold('taken');
    const app = await stage.start({ controllers: [Work], options: { shutdownTimeout: BUDGET } });
    const answer = request(app, '/waiting');
    await running(app.get(Work));
    const start = performance.now();
    await app.close();
    expectAt(performance.now(), start, BUDGET);
    expect(await answer).toMatchObject({ status: 503, body: expect.stringContaining('SHUTTING_DOWN') });
    expect(stage.logged.join('\n')).toContain('callers that wait for "taken": 1');
    await theirs.unlock();
  });

  test('while work ignores the signal: the lock is released a second later, and the server goes on draining', async () => {
    const app = await stage.start({ controllers: [Work], options: { shutdownTimeout: BUDGET } });
    const work = app.get(Work);
    const answer = request(app, '/deaf');
    await running(work);
    const start = performance.now();
    const closed = app.close();
    await until('the lock is released', async () => (await stage.services.keys()).length === 0);
    expectAt(work.abortedAt, start, BUDGET);
    expect(performance.now() - start).toBeLessThan(BUDGET + 1000 + scaled(500));
    await expect(app.get(LockService).getLock('x').tryLock()).rejects.toMatchObject({
      code: 'SHUTTING_DOWN',
    });
    await Promise.all([closed, answer]);
  });

  test('while another module is slow to be destroyed, in the root module as well', async () => {
    for (const parts of [{ providers: [SlowToDestroy] }, { imports: [slowModule()] }]) {
      const app = await stage.start({ controllers: [Work], options: { shutdownTimeout: BUDGET }, ...parts });
      const work = app.get(Work);
      const answer = request(app, '/until-aborted');
      await running(work);
      const start = performance.now();
      const closed = app.close();
      await answer;
      expectAt(work.abortedAt, start, BUDGET);
      await closed;
    }
  });

  test('while a module waits for its own work, without a server', async () => {
    @Module({ imports: [stage.locks({ shutdownTimeout: BUDGET })], providers: [Worker] })
    class AppModule {}
    const app: INestApplicationContext = await NestFactory.createApplicationContext(AppModule, {
      logger: false,
    });
    const worker = app.get(Worker);
    await running(worker);
    const start = performance.now();
    await Promise.all([app.close(), app.close()]);
    expectAt(worker.abortedAt, start, BUDGET);
    expectAt(performance.now(), start, BUDGET);
  });

  test('of each instance by its own option, and 0 aborts at once', async () => {
    const other = stage.locks(
      { shutdownTimeout: 0, namePrefix: `${stage.services.prefix}other:` },
      { name: 'other' },
    );
    const app = await stage.start({ controllers: [Work], options: { shutdownTimeout: 0 }, imports: [other] });
    const work = app.get(Work);
    const answer = request(app, '/until-aborted');
    await running(work);
    const start = performance.now();
    await app.close();
    expectAt(work.abortedAt, start, 0);
    expect((await answer).status).toBe(200);
  });

  test('grants and renews locks until then, and logs nothing about work that ends in a moment', async () => {
    const app = await stage.start({ controllers: [Work], providers: [SlowToDestroy] });
    const locks = app.get(LockService);
    const closed = app.close();
    await sleep(50);
    await locks.getLock('x').using(() => sleep(20));
    expect(stage.logged.filter((line) => line.includes('shutdown'))).toEqual([]);
    await closed;
  });
});

function slowModule() {
  @Module({ providers: [SlowToDestroy] })
  class SlowModule {}
  return SlowModule;
}
