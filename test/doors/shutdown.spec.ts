import { setTimeout as sleep } from 'node:timers/promises';
import { Controller, Inject, Injectable, Post } from '@nestjs/common';
import { DistributedLock, LockService, type LockModuleSettings } from 'nestjs-distributed-lock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { DoorStage, request } from './door.stage.js';

const CALLS = 100;

@Injectable()
class Counters {
  readonly values = new Map<string, number>();
  readonly nested = new Map<string, number>();

  constructor(@Inject(LockService) private readonly locks: LockService) {}

  /** A read-modify-write that is wrong without a lock. */
  @DistributedLock('counter:{0}', { waitTime: scaled(30_000) })
  async increment(name: string): Promise<void> {
    const value = this.values.get(name) ?? 0;
    await sleep(0);
    await this.twice(name);
    this.values.set(name, value + 1);
  }

  @DistributedLock('counter:{0}')
  async twice(name: string): Promise<void> {
    const value = this.nested.get(name) ?? 0;
    await this.locks.getLock(`counter:${name}`).using(() => undefined);
    this.nested.set(name, value + 1);
  }
}

@Controller()
class Traffic {
  running = 0;
  finished = 0;

  constructor(
    private readonly counters: Counters,
    private readonly locks: LockService,
  ) {}

  @Post('many')
  async many() {
    await Promise.all(Array.from({ length: CALLS }, () => this.counters.increment('request')));
    return this.counters.values.get('request');
  }

  @Post('slow')
  @DistributedLock('slow', { waitTime: '10s' })
  async slow() {
    this.running += 1;
    await sleep(20);
    await this.locks.getLock('slow').using(() => sleep(5));
    this.running -= 1;
    this.finished += 1;
    return 'served';
  }
}

@Controller()
class Draining {
  constructor(private readonly locks: LockService) {}

  /** Goes on until ticks are refused, as they are while the servers drain. */
  @Post('drain')
  async drain() {
    let ran = 0;
    for (let instant = 1; (await this.locks.runOnce('job', instant, () => true)) === true; instant += 1)
      ran += 1;
    const handle = await this.locks.getLock('drained').lock();
    return { ran: ran > 0, unlocked: await handle.unlock() };
  }
}

let stage: DoorStage;
beforeEach(() => {
  stage = new DoorStage();
});
afterEach(() => stage.close());

const start = (options: LockModuleSettings = {}) =>
  stage.start({ controllers: [Traffic], providers: [Counters], options });

describe('counters', () => {
  test(`${CALLS} siblings of one request exclude each other, and what each calls re-enters`, async () => {
    const app = await start();
    const { values, nested } = app.get(Counters);
    expect(await request(app, '/many', { method: 'POST' })).toMatchObject({ status: 201, body: `${CALLS}` });
    expect([values.get('request'), nested.get('request')]).toEqual([CALLS, CALLS]);
    expect(await stage.services.keys()).toEqual([]);
  });

  test(`${CALLS} × ${CALLS} calls of two applications lose none`, { timeout: scaled(60_000) }, async () => {
    const [one, two] = [await start(), await start()];
    const shared = one.get(Counters);
    const other = two.get(Counters);
    const names = Array.from({ length: CALLS }, (_, index) => `c${index}`);
    Object.assign(other, { values: shared.values, nested: shared.nested });
    await Promise.all(
      names.flatMap((name) =>
        Array.from({ length: CALLS }, (_, call) => (call % 2 === 0 ? shared : other).increment(name)),
      ),
    );
    expect(new Set(names.map((name) => shared.values.get(name)))).toEqual(new Set([CALLS]));
    expect(new Set(names.map((name) => shared.nested.get(name)))).toEqual(new Set([CALLS]));
    await until('nothing is left', async () => (await stage.services.keys()).length === 0);
  });
});

describe('app.close()', () => {
  test('under load serves every request that came in, and leaves no key and no channel', async () => {
    const app = await start({ shutdownTimeout: '20s' });
    const traffic = app.get(Traffic);
    let arrived = 0;
    app.getHttpServer().on('request', () => (arrived += 1));
    const answers = Array.from({ length: 20 }, () => request(app, '/slow', { method: 'POST' }));
    await until('all have come in, and one works', () => arrived === 20 && traffic.running > 0);
    await app.close();
    expect(
      new Set((await Promise.all(answers)).map(({ status, body }) => `${status} ${String(body)}`)),
    ).toEqual(new Set(['201 served']));
    expect(traffic.finished).toBe(20);
    expect(await stage.services.keys()).toEqual([]);
    expect(await stage.services.channels()).toEqual([]);
  });

  test('refuses ticks, and grants locks, while requests drain', async () => {
    const app = await stage.start({ controllers: [Draining] });
    const answer = request(app, '/drain', { method: 'POST' });
    await until('ticks run', async () => (await app.get(LockService).getRuns('job')).length > 0);
    await app.close();
    expect(await answer).toMatchObject({ status: 201, body: { ran: true, unlocked: 'released' } });
  });

  test('waits for work that no server knows of', async () => {
    const app = await start();
    const traffic = app.get(Traffic);
    const work = traffic.slow();
    await until('it runs', () => traffic.running > 0);
    await app.close();
    expect(traffic.finished).toBe(1);
    await expect(work).resolves.toBe('served');
  });

  test('aborts work that outlasts shutdownTimeout, frees its lock, and the key does not stay', async () => {
    const app = await stage.start({ options: { shutdownTimeout: 50 } });
    let isInside = false;
    const reason = new Promise((resolve) => {
      void app
        .get(LockService)
        .getLock('long')
        .using(async ({ signal }) => {
          isInside = true;
          await new Promise((aborted) => signal.addEventListener('abort', aborted));
          resolve(signal.reason);
        });
    });
    await until('it runs', () => isInside);
    await app.close();
    await expect(reason).resolves.toMatchObject({ code: 'LOST', lock: 'long' });
    expect(await stage.services.keys()).toEqual([]);
  });

  test('grants no new lock outside of one once the servers have drained', async () => {
    const app = await start();
    await app.close();
    await expect(app.get(LockService).getLock('x').tryLock()).rejects.toMatchObject({
      code: 'SHUTTING_DOWN',
    });
  });
});
