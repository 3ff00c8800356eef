import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Cron, ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { Redis } from 'ioredis';
import { DistributedLock, DistributedLockModule, LockService } from 'nestjs-distributed-lock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { VERSION } from '../../libs/distributed-lock/src/contracts/version.js';
import type { Notice } from '../../libs/distributed-lock/src/events/notice.board.js';
import { Services } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { instants } from '../ticks/bare.instants.js';

let services: Services;
beforeEach(() => {
  services = new Services();
});
afterEach(() => services.close());

const REPORTING = { instanceInfo: true, appName: 'shop' };
/** The first report comes after 2 s. */
const SOON = 6000;

describe('fleet.instances()', { timeout: scaled(30_000) }, () => {
  test('has each instance, with what it holds, until it ends', async () => {
    const [one, other] = [
      await services.open(REPORTING),
      await services.open({ ...REPORTING, appName: 'desk' }),
    ];
    const held = await one.getLock('a').lock();
    const waiting = one.getLock('b');
    const inTheWay = await other.getLock('b').lock();
    const wait = waiting.lock();
    await until('both report', async () => (await other.fleet.instances()).length === 2, SOON);
    const found = (await other.fleet.instances()).toSorted((a, b) => (a.app < b.app ? -1 : 1));
    const place = { host: hostname(), pid: process.pid, version: VERSION, jobs: [] };
    expect(found).toMatchObject([
      { ...place, app: 'desk', held: 1, waiting: 0, id: other.engine.context.ids.client },
      { ...place, app: 'shop', held: 1, waiting: 1, id: one.engine.context.ids.client },
    ]);
    for (const { started, seen } of found) {
      expect(seen - started).toBeGreaterThanOrEqual(1900);
      expect(seen - started).toBeLessThan(scaled(10_000));
    }
    expect(held.holder.startsWith(`${found[1]?.id}:`)).toBe(true);
    await inTheWay.unlock();
    await (await wait).unlock();
    await held.unlock();
    await one.shutDown();
    expect((await other.fleet.instances()).map(({ app }) => app)).toEqual(['desk']);
    await other.shutDown();
    expect(await services.admin.keys(`*${services.prefix}*`)).toEqual([]);
  });

  test('has no instance that ends before its first report, and none with instanceInfo: false', async () => {
    const silent = await services.open({ ...REPORTING, instanceInfo: false });
    const brief = await services.open(REPORTING);
    await brief.shutDown();
    const reporting = await services.open(REPORTING);
    await until('one reports', async () => (await silent.fleet.instances()).length > 0, SOON);
    expect((await silent.fleet.instances()).map(({ id }) => id)).toEqual([
      reporting.engine.context.ids.client,
    ]);
  });

  test('knows the jobs of an instance, and whether they are on', async () => {
    @Injectable()
    class Jobs {
      @Cron('0 0 0 1 1 *', { name: 'yearly' })
      @DistributedLock('yearly')
      async yearly(): Promise<void> {}

      @Cron('0 0 0 2 1 *', { name: 'off' })
      @DistributedLock('off')
      async off(): Promise<void> {}
    }
    const { prefix, source } = services;
    const module = await Test.createTestingModule({
      imports: [
        ScheduleModule.forRoot(),
        DistributedLockModule.forRoot({ redis: source as string, namePrefix: prefix }),
      ],
      providers: [Jobs],
    }).compile();
    const app = await module.createNestApplication({ logger: false }).init();
    try {
      app.get(SchedulerRegistry).getCronJob('off').stop();
      const locks = app.get(LockService);
      await until('it reports', async () => (await locks.fleet.instances()).length > 0, SOON);
      expect(await locks.fleet.instances()).toMatchObject([
        {
          jobs: [
            { job: 'off', isOn: false },
            { job: 'yearly', isOn: true },
          ],
        },
      ]);
    } finally {
      await app.close();
    }
  });

  test('what cannot be read is left out, and what is missing is empty', async () => {
    const desk = await services.open();
    const key = `{${services.prefix}}`;
    const rows = {
      a: '{"app":"x"}',
      b: 'no JSON',
      c: '[]',
      d: '{"app":5,"name":"h:7","held":"many","age":true}',
    };
    for (const [client, info] of Object.entries(rows)) {
      await services.admin.hset(`${key}:instance:${client}`, 'info', info, 'jobs', '[["a"],5,[7,1],["b",1]]');
      await services.admin.zadd(`${key}:instance_list`, 1000, client);
    }
    const found = await desk.fleet.instances();
    expect(found.find(({ id }) => id === 'a')).toMatchObject({ app: 'x', host: '', pid: 0, held: 0 });
    expect(found.find(({ id }) => id === 'd')).toMatchObject({
      app: '',
      host: 'h',
      pid: 7,
      held: 0,
      started: 1000,
    });
    expect(found[0]?.jobs).toEqual([
      { job: 'a', isOn: false },
      { job: 'b', isOn: true },
    ]);
    expect(found.some(({ id }) => id === 'b')).toBe(false);
    await services.admin.del(
      `${key}:instance_list`,
      ...Object.keys(rows).map((client) => `${key}:instance:${client}`),
    );
  });

  test('a client that connects with its first command is not connected by a report', async () => {
    const { admin, source, prefix } = services;
    const lazy = await services.open(REPORTING, new Redis(source as string, { lazyConnect: true }));
    const desk = await services.open(REPORTING);
    await until('another one reports', async () => (await desk.fleet.instances()).length > 0, SOON);
    await sleep(scaled(1000));
    expect(lazy.engine.context.isConnected).toBe(false);
    expect(await desk.fleet.instances()).toHaveLength(1);
    await (await lazy.getLock('a').lock()).unlock();
    await until('it reports', async () => (await desk.fleet.instances()).length === 2, SOON);
    expect(await admin.keys(`*${prefix}*instance:*`)).toHaveLength(2);
  });

  test('two applications with a keyPrefix of their own do not see each other', async () => {
    const own = { ...REPORTING, namePrefix: services.prefix };
    const [one, other] = await Promise.all(
      ['a:', 'b:'].map((keyPrefix) =>
        services.open(own, new Redis(services.source as string, { lazyConnect: true, keyPrefix })),
      ),
    );
    await until('one reports', async () => (await one?.fleet.instances())?.length === 1, SOON);
    expect((await one?.fleet.instances())?.map(({ id }) => id)).toEqual([one?.engine.context.ids.client]);
    await one?.ticks.jobs.register(
      'nightly',
      'hourly',
      instants(() => 'now'),
    );
    expect(await one?.jobs.list()).toMatchObject([{ job: 'nightly', key: `a:${services.prefix}nightly` }]);
    expect(await other?.jobs.list()).toEqual([]);
    await one?.jobs.forget('nightly');
  });

  test('a refused report is logged once, and locks work on', async () => {
    await services.admin.set(`{${services.prefix}}:instance_list`, 'mine');
    const one = await services.open(REPORTING);
    const notices: Notice[] = [];
    one.engine.context.notices.listen((notice) => notices.push(notice));
    await until('it is logged', () => notices.some(({ kind }) => kind === 'unlisted'), SOON);
    expect(await (await one.getLock('a').lock()).unlock()).toBe('released');
    await expect(one.fleet.instances()).rejects.toMatchObject({ code: 'WRONG_TYPE' });
    await one.shutDown();
    expect(await services.admin.getdel(`{${services.prefix}}:instance_list`)).toBe('mine');
  });
});
