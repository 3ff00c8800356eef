import { connect } from 'node:net';
import { hostname } from 'node:os';
import { Injectable, Logger, Scope, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Redis } from 'ioredis';
import { DistributedLockModule } from 'nestjs-distributed-lock';
import { DistributedLockDashboardModule } from 'nestjs-distributed-lock/dashboard';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type {
  DashboardAbout,
  JobEvent,
  JobsEvent,
  LocksEvent,
  TroubleEvent,
} from '../../libs/distributed-lock/src/dashboard-feeds/dashboard.model.js';
import type { OperatorActionEvent } from '../../libs/distributed-lock/src/events/lock.event.types.js';
import { ownRedis } from '../locks/own.redis.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { instants } from '../ticks/bare.instants.js';
import {
  act,
  EventReader,
  OF_PAGE,
  PLATFORMS,
  startBoard,
  type BoardApp,
  type RunningBoard,
} from './board.stage.js';

const server = ownRedis();
let admin: Redis;
const running: RunningBoard[] = [];
const readers: EventReader[] = [];

beforeAll(() => {
  Logger.overrideLogger(false);
  admin = new Redis(server().url);
});
beforeEach(() => admin.flushall());
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close();
  await Promise.all(running.splice(0).map(({ app }) => app.close()));
});
afterAll(() => admin.disconnect());

async function start(wanted: Omit<BoardApp, 'redis'> = {}): Promise<RunningBoard & { root: string }> {
  const board = await startBoard({ redis: server().url, ...wanted });
  running.push(board);
  return { ...board, root: `${board.origin}/locks` };
}

async function watch(root: string, query: string): Promise<EventReader> {
  const reader = await EventReader.open(`${root}/api/events?${query}`);
  readers.push(reader);
  return reader;
}

const ALLOWED = { dashboard: { allow: () => true } };

@Injectable()
class KeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return (
      context.switchToHttp().getRequest<{ headers: Record<string, string> }>().headers['x-key'] === 'sesame'
    );
  }
}

describe.each(PLATFORMS)('on %s', (platform) => {
  test('the page, its files and its facts are there, and come from this host alone', async () => {
    const { root } = await start({ platform });
    const page = await fetch(root);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const html = await page.text();
    expect(html).toContain('data-root="locks/"');
    expect(html).not.toContain('%ROOT%');
    expect(html).not.toMatch(/https?:\/\//);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const [script = ''] = /assets\/[\w.]+\.js/.exec(html) ?? [];
    const file = await fetch(`${root}/${script}`);
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
    const again = await fetch(`${root}/${script}`, {
      headers: { 'if-none-match': file.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
    for (const path of ['..%2findex.html', 'none.js', '%2e%2e%2f%2e%2e%2fpackage.json'])
      expect((await fetch(`${root}/assets/${path}`)).status, path).toBe(404);
    const about = (await (await fetch(`${root}/api/about`)).json()) as DashboardAbout;
    expect(about).toMatchObject({ title: 'Jobs and locks', namePrefix: 'lock:', isReadOnly: true });
  });

  test('a global prefix, versions, a path of its own and a guard apply as to any controller', async () => {
    const { origin } = await start({
      platform,
      globalPrefix: 'api',
      isVersioned: true,
      dashboard: { path: 'admin/board', guards: [KeyGuard], title: 'Shop' },
    });
    const root = `${origin}/api/v1/admin/board`;
    expect((await fetch(root)).status).toBe(403);
    expect((await fetch(`${root}/api/about`)).status).toBe(403);
    expect((await act(root, { action: 'pause', job: 'a' })).status).toBe(403);
    const headers = { 'x-key': 'sesame' };
    expect(await (await fetch(root, { headers })).text()).toContain('data-root="board/"');
    expect(await (await fetch(`${root}/api/about`, { headers })).json()).toMatchObject({
      title: 'Shop',
      isReadOnly: false,
    });
    expect((await act(root, { action: 'pause', job: 'a' }, headers)).status).toBe(404);
  });

  test('a name that a page shows, or that an action names, stays free for any kind of lock', async () => {
    const { root, locks } = await start({ platform, ...ALLOWED });
    const shown = await watch(root, 'topic=job&name=order:1');
    expect((await shown.next<JobEvent>('job')).job).toBeNull();
    const found = await watch(root, 'topic=locks&prefix=order:1');
    expect((await found.next<LocksEvent>('locks')).locks).toEqual([]);
    for (const action of ['pause', 'resume', 'run-now', 'forget'])
      expect((await act(root, { action, job: 'order:1' })).status, action).toBe(404);
    expect((await act(root, { action: 'unlock', key: 'lock:order:1' })).status).toBe(200);
    await locks.getFairLock('order:1').using(() => undefined);
  });

  test('a job is steered, and each page sees it within a second', async () => {
    const { root, locks } = await start({ platform, ...ALLOWED });
    const actions: OperatorActionEvent[] = [];
    locks.events.listen({ operatorAction: (event) => void actions.push(event) });
    await locks.ticks.jobs.register(
      'report',
      'every minute',
      instants(() => 500),
    );
    const [one, other] = [await watch(root, 'topic=jobs'), await watch(root, 'topic=job&name=report')];
    const whole = await one.next<JobsEvent>('jobs');
    expect(whole).toMatchObject({
      isWhole: true,
      jobs: [{ name: 'report', schedule: 'every minute', strip: [] }],
    });
    const began = performance.now();
    expect(await act(root, { action: 'pause', job: 'report' })).toMatchObject({
      status: 200,
      answer: { isDone: true },
    });
    const paused = await one.next<JobsEvent>('jobs', ({ jobs }) => jobs[0]?.paused !== undefined);
    expect(performance.now() - began).toBeLessThan(scaled(1000));
    expect(paused).toMatchObject({ isWhole: false, gone: [] });
    const seen = await other.next<JobEvent>('job', ({ job }) => job?.paused !== undefined);
    expect(seen.job?.pausedBy).toContain('127.0.0.1');
    // The second of two operators finds it done.
    expect(await act(root, { action: 'pause', job: 'report' })).toMatchObject({
      status: 200,
      answer: { isDone: false },
    });
    expect((await act(root, { action: 'resume', job: 'report' })).answer.isDone).toBe(true);
    expect(await locks.runOnce('report', 5000, () => 'run')).toBe('run');
    const ran = await other.next<JobEvent>('job', ({ runs }) =>
      runs.some(({ outcome }) => outcome === 'completed'),
    );
    expect(ran.job?.strip.at(-1)).toMatchObject({ tick: 5000, outcome: 'completed' });
    expect((await act(root, { action: 'forget', job: 'report' })).answer.isDone).toBe(true);
    await one.next<JobsEvent>('jobs', ({ gone }) => gone.includes('report'));
    expect(await other.next<JobEvent>('job', ({ job }) => job === null)).toMatchObject({
      job: null,
      runs: [],
    });
    expect(actions.map(({ action, name, by, isDone }) => [action, name, by, isDone])).toEqual([
      ['pause', 'report', expect.stringContaining('127.0.0.1'), true],
      ['pause', 'report', expect.stringContaining('127.0.0.1'), false],
      ['resume', 'report', expect.stringContaining('127.0.0.1'), true],
      ['forget', 'report', expect.stringContaining('127.0.0.1'), true],
    ]);
  });

  test('a lock is shown with its holder and its waiters, and is released by force', async () => {
    const { root, locks } = await start({ platform, ...ALLOWED });
    const other = await start({ platform });
    const held = await locks.getFairLock('order:1').lock();
    const waiting = other.locks.getFairLock('order:1').lock({ waitTime: '20s' });
    await locks.getSemaphore('printers').trySetPermits(3);
    const reader = await watch(root, 'topic=locks&prefix=');
    const { locks: found } = await reader.next<LocksEvent>('locks', (event) => event.locks[0]?.waiting === 1);
    expect(found).toMatchObject([
      {
        name: 'order:1',
        kind: 'fair lock',
        holders: [{ holder: held.holder, count: 1 }],
        waiters: [{ count: 1 }],
      },
      { name: 'printers', kind: 'semaphore or latch', left: 3, holders: [], ttl: -1 },
    ]);
    const narrow = await watch(root, 'topic=locks&prefix=print');
    expect((await narrow.next<LocksEvent>('locks')).locks.map(({ name }) => name)).toEqual(['printers']);
    expect(await act(root, { action: 'unlock', key: 'lock:printers' })).toMatchObject({
      status: 200,
      answer: { isDone: false, message: expect.stringContaining('not a lock') },
    });
    expect((await act(root, { action: 'unlock', key: 'lock:order:1' })).answer.isDone).toBe(true);
    const next = await waiting;
    expect(await next.unlock()).toBe('released');
    expect(await held.unlock()).toBe('lost');
    expect((await act(root, { action: 'unlock', key: 'lock:order:1' })).answer.isDone).toBe(false);
  });

  test('a lock that has another holder than those that were shown is not released', async () => {
    const { root, locks } = await start({ platform, ...ALLOWED });
    const reading = () => locks.getReadWriteLock('file').readLock().lock();
    const [former, present] = [await reading(), await reading()];
    const unlock = { action: 'unlock', key: 'lock:file' };
    await former.unlock();
    expect(await act(root, { ...unlock, holders: [former.holder] })).toMatchObject({
      status: 200,
      answer: { isDone: false, message: expect.stringContaining('another holder') },
    });
    expect(await locks.getReadWriteLock('file').readLock().isLocked()).toBe(true);
    // One of them is still there.
    const { answer } = await act(root, { ...unlock, holders: [former.holder, present.holder] });
    expect(answer.isDone).toBe(true);
    expect(await present.unlock()).toBe('lost');
    expect((await act(root, { ...unlock, holders: [present.holder] })).answer).toEqual({
      isDone: false,
      message: expect.stringContaining('is not locked'),
    });
  });

  test('an action from another origin is refused, although enableCors() lets it be sent', async () => {
    const { root, locks } = await start({ platform, ...ALLOWED, isOpenToOrigins: true });
    await locks.runOnce('report', 1, () => undefined);
    const origin = 'https://other.example';
    const preflight = await fetch(`${root}/api/actions`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': Object.keys(OF_PAGE).join(','),
      },
    });
    // A browser would send the action.
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('x-distributed-lock-dashboard');
    for (const headers of [{ origin }, { origin, 'sec-fetch-site': 'cross-site' }])
      expect(await act(root, { action: 'pause', job: 'report' }, headers)).toMatchObject({
        status: 403,
        answer: { isDone: false },
      });
    expect((await locks.jobs.status('report'))?.paused).toBeUndefined();
    // What is not refused: reading. A guard has to.
    const about = await fetch(`${root}/api/about`, { headers: { origin } });
    expect([about.status, about.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
  });

  test('an open page does not hold up the shutdown of the application', async () => {
    const board = await start({ platform });
    const reader = await watch(board.root, 'topic=jobs');
    await reader.next('jobs');
    const began = performance.now();
    await board.app.close();
    expect(performance.now() - began).toBeLessThan(scaled(4000));
    await until('the page is disconnected', () => reader.isEnded);
  });
});

describe('actions', () => {
  test('are refused by default, and the page is shown without them', async () => {
    const { root, locks } = await start();
    const held = await locks.getLock('a').lock();
    const { status, answer } = await act(root, { action: 'unlock', key: 'lock:a' });
    expect([status, answer.message]).toEqual([403, expect.stringContaining('read-only')]);
    expect(await held.unlock()).toBe('released');
  });

  test('are refused when another site requests them', async () => {
    const { root, origin, locks } = await start(ALLOWED);
    const held = await locks.getLock('a').lock();
    const body = { action: 'unlock', key: 'lock:a' };
    const strange: Record<string, string>[] = [
      { 'x-distributed-lock-dashboard': '' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin },
    ];
    for (const headers of strange)
      expect((await act(root, body, headers)).status, JSON.stringify(headers)).toBe(403);
    expect(held.isHeld).toBe(true);
    expect((await act(root, body, { origin })).status).toBe(200);
  });

  test('are allowed one by one, and by whom', async () => {
    const asked: unknown[] = [];
    const { root, locks } = await start({
      dashboard: {
        allow: (request, action) => {
          asked.push([request.headers['x-user'], action]);
          return action.action !== 'forget';
        },
        userOf: ({ headers }) => String(headers['x-user']),
      },
    });
    const actions: OperatorActionEvent[] = [];
    locks.events.listen({ operatorAction: (event) => void actions.push(event) });
    await locks.runOnce('a', 1, () => undefined);
    expect(
      (
        await fetch(`${root}/api/actions`, {
          method: 'POST',
          headers: { ...OF_PAGE, 'x-user': 'ada' },
          body: JSON.stringify({ action: 'forget', job: 'a' }),
        })
      ).status,
    ).toBe(403);
    expect((await act(root, { action: 'pause', job: 'a' }, { 'x-user': 'bob' })).status).toBe(200);
    expect(asked).toEqual([
      ['ada', { action: 'forget', job: 'a', force: false }],
      ['bob', { action: 'pause', job: 'a' }],
    ]);
    expect(actions.map(({ by, action }) => [by, action])).toEqual([['bob', 'pause']]);
    expect(await locks.jobs.status('a')).toMatchObject({ pausedBy: 'bob' });
  });

  test.each([
    {},
    { action: 'destroy', job: 'a' },
    { action: 'pause' },
    { action: 'pause', job: 7 },
    { action: 'pause', job: '' },
    { action: 'pause', job: 'a\0b' },
    { action: 'forget', job: 'a', force: 'yes' },
    { action: 'unlock', job: 'a' },
    { action: 'unlock', key: 7 },
    { action: 'unlock', key: 'other:a' },
    { action: 'unlock', key: 'lock:a', holders: 'x' },
    { action: 'unlock', key: 'lock:a', holders: [7] },
    { action: 'unlock', key: `lock:${'n'.repeat(1025)}` },
  ])('are refused when they make no sense: %j', async (body) => {
    const { root } = await start(ALLOWED);
    const { status, answer } = await act(root, body);
    expect([status, answer.isDone]).toEqual([400, false]);
    expect(answer.message.length).toBeGreaterThan(10);
  });

  test.each([
    ['no name', () => undefined],
    ['an empty name', () => ''],
  ])('of a user with %s are those of the dashboard of this instance', async (_what, userOf) => {
    const { root, locks } = await start({ dashboard: { allow: () => true, userOf } });
    await locks.runOnce('a', 1, () => undefined);
    expect((await act(root, { action: 'pause', job: 'a' })).status).toBe(200);
    expect(await locks.jobs.status('a')).toMatchObject({
      pausedBy: `(dashboard of ${hostname()}:${process.pid})`,
    });
  });

  test('are those of the user of the request, also of a record whose properties are accessors', async () => {
    class UserRecord {
      get email() {
        return 'ada@example.org';
      }
    }
    class Login implements CanActivate {
      canActivate(context: ExecutionContext): boolean {
        context.switchToHttp().getRequest<{ user: unknown }>().user = new UserRecord();
        return true;
      }
    }
    const { root, locks } = await start({ dashboard: { guards: [Login] } });
    await locks.runOnce('a', 1, () => undefined);
    expect((await act(root, { action: 'pause', job: 'a' })).status).toBe(200);
    expect(await locks.jobs.status('a')).toMatchObject({ pausedBy: 'ada@example.org' });
  });

  test('of a job that there is not are answered with 404', async () => {
    const { root } = await start(ALLOWED);
    for (const action of ['pause', 'resume', 'run-now', 'forget'])
      expect((await act(root, { action, job: 'none' })).status, action).toBe(404);
    expect(await admin.keys('*')).toEqual([]);
  });
});

describe('a job', () => {
  test('has as many records as are asked for, and each says how many ticks it stands for', async () => {
    const { root, locks } = await start();
    const other = await start();
    await locks.runOnce('report', 1, async () => {
      for (let tick = 2; tick <= 13; tick += 1) await other.locks.runOnce('report', tick, () => undefined);
    });
    await admin.hset('{lock:report}:tick', 'history', 200);
    for (let tick = 20; tick < 120; tick += 1) await locks.runOnce('report', tick, () => undefined);
    const short = await (await watch(root, 'topic=job&name=report')).next<JobEvent>('job');
    expect([short.runs.length, short.isCut]).toEqual([50, true]);
    const long = await (await watch(root, 'topic=job&name=report&records=1000')).next<JobEvent>('job');
    expect([long.runs.length, long.isCut]).toEqual([102, false]);
    expect(long.runs.at(-1)).toMatchObject({ outcome: 'overlapped', tick: 13, after: 1, count: 12 });
    expect(long.job?.strip).toHaveLength(50);
  });
});

describe('events', () => {
  test.each([
    '',
    'topic=other',
    'topic=job',
    'topic=job&name=',
    'topic=job&name=a%00b',
    'topic=job&name=a&records=1001',
    'topic=job&name=a&records=some',
    'topic=locks&prefix=a&prefix=b',
  ])('are refused for "%s"', async (query) => {
    const { root } = await start();
    expect((await fetch(`${root}/api/events?${query}`)).status).toBe(400);
  });

  test(
    'read Redis once for all pages, and not at all when none is open',
    async () => {
      const { root, locks } = await start();
      await locks.runOnce('a', 1, () => undefined);
      const commands = async () =>
        Number(/total_commands_processed:(\d+)/.exec(await admin.info('stats'))?.[1]);
      const during = async () => {
        const before = await commands();
        await new Promise((resolve) => setTimeout(resolve, scaled(2000)));
        return (await commands()) - before - 1;
      };
      let idle = Infinity;
      await until('the run is over', async () => (idle = await during()) < 4, 30_000);
      const first = await watch(root, 'topic=jobs');
      await first.next('jobs');
      const one = await during();
      for (let at = 0; at < 19; at += 1) await (await watch(root, 'topic=jobs')).next('jobs');
      const twenty = await during();
      expect(idle).toBeLessThan(4);
      expect(one).toBeGreaterThan(4);
      expect(twenty).toBeLessThan(one * 2);
      for (const reader of readers.splice(0)) reader.close();
      await until('nothing is read any more', async () => (await during()) < 4, 20_000);
    },
    scaled(60_000),
  );

  test(
    'show that Redis is away, and that it is back',
    async () => {
      const { root, locks } = await start({ settings: { commandTimeout: '1s' } });
      await locks.runOnce('a', 1, () => undefined);
      const reader = await watch(root, 'topic=jobs');
      await reader.next('jobs');
      const known = reader.events.length;
      server().pause();
      try {
        const trouble = await reader.next<TroubleEvent>('trouble');
        expect(trouble.since).toBeGreaterThan(Date.now() - scaled(20_000));
        expect(trouble.message).toMatch(/^Redis (?:cannot be reached|has not answered)/);
      } finally {
        server().resume();
      }
      await until(
        'it is read again',
        () => reader.events.slice(known).some(({ event }) => event === 'jobs'),
        20_000,
      );
    },
    scaled(60_000),
  );
});

/** Asks somebody else first, as a guard with sessions does. */
@Injectable()
class SlowGuard implements CanActivate {
  async canActivate(): Promise<boolean> {
    await new Promise((resolve) => setTimeout(resolve, scaled(300)));
    return true;
  }
}

@Injectable({ scope: Scope.REQUEST })
class RequestGuard implements CanActivate {
  canActivate(): boolean {
    return true;
  }
}

describe.each(PLATFORMS)('connections on %s', (platform) => {
  /** The commands of the whole server in a moment. */
  async function traffic(): Promise<number> {
    const count = async () => Number(/total_commands_processed:(\d+)/.exec(await admin.info('stats'))?.[1]);
    const before = await count();
    await new Promise((resolve) => setTimeout(resolve, scaled(1500)));
    return (await count()) - before - 1;
  }

  test(
    'are forgotten when the browser has left before the guard has answered',
    { timeout: scaled(30_000) },
    async () => {
      const { root } = await start({ platform, dashboard: { guards: [SlowGuard] } });
      const abort = new AbortController();
      const left = fetch(`${root}/api/events?topic=jobs`, { signal: abort.signal }).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, scaled(100)));
      abort.abort();
      await left;
      await new Promise((resolve) => setTimeout(resolve, scaled(600)));
      expect(await traffic()).toBeLessThan(4);
    },
  );

  test(
    'end with the application, also with a guard for each request',
    { timeout: scaled(30_000) },
    async () => {
      const board = await start({ platform, dashboard: { guards: [RequestGuard] } });
      await (await watch(board.root, 'topic=jobs')).next('jobs');
      const began = performance.now();
      await board.app.close();
      expect(performance.now() - began).toBeLessThan(scaled(4000));
    },
  );

  test(
    'end with the application, also with a browser that does not read',
    { timeout: scaled(60_000) },
    async () => {
      const board = await start({ platform });
      // Names that fill the buffers between the two.
      for (let at = 0; at < 100; at += 1)
        await board.locks.runOnce(`${at}${'n'.repeat(1000)}`, 1, () => undefined);
      const { port } = new URL(board.origin);
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => undefined).pause();
      socket.write(`GET /locks/api/events?topic=jobs HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
      await until('it is read for', async () => (await traffic()) > 4, 20_000);
      const began = performance.now();
      await board.app.close();
      expect(performance.now() - began).toBeLessThan(scaled(5000));
      socket.destroy();
    },
  );

  test(
    'are refused beyond twenty topics, and are renewed when there is room',
    { timeout: scaled(60_000) },
    async () => {
      const { root } = await start({ platform, endsIdle: true });
      for (let at = 0; at < 20; at += 1) await watch(root, `topic=locks&prefix=${at}`);
      expect((await fetch(`${root}/api/events?topic=jobs`)).status).toBe(503);
      // What is shown already is no further topic.
      await (await watch(root, 'topic=locks&prefix=7')).next('locks');
      for (const reader of readers.splice(0)) reader.close();
      await until('there is room', async () => {
        const reader = await EventReader.open(`${root}/api/events?topic=jobs`).catch(() => undefined);
        reader?.close();
        return reader !== undefined;
      });
      expect((await fetch(`${root}/api/events?topic=jobs`, { method: 'HEAD' })).status).toBe(200);
    },
  );
});

test('two dashboards in one application show their own module instances', async () => {
  const module = await Test.createTestingModule({
    imports: [
      DistributedLockModule.forRoot({ redis: server().url, instanceInfo: false, shutdownTimeout: 200 }),
      DistributedLockModule.forRoot({
        ...{ name: 'second', redis: server().url, namePrefix: 'second:' },
        ...{ instanceInfo: false, shutdownTimeout: 200, refusalFilter: false },
      }),
      DistributedLockDashboardModule.forRoot(),
      DistributedLockDashboardModule.forRootAsync({
        ...{ path: 'second', service: 'second' },
        useFactory: () => ({ title: 'Second', readOnly: false }),
      }),
    ],
  }).compile();
  const app = module.createNestApplication({ logger: false });
  await app.listen(0, '127.0.0.1');
  try {
    const url = await app.getUrl();
    const about = async (path: string) =>
      (await (await fetch(`${url}/${path}/api/about`)).json()) as DashboardAbout;
    expect(await about('locks')).toMatchObject({
      namePrefix: 'lock:',
      title: 'Jobs and locks',
      isReadOnly: true,
    });
    expect(await about('second')).toMatchObject({
      namePrefix: 'second:',
      title: 'Second',
      isReadOnly: false,
    });
  } finally {
    await app.close();
  }
});

test.each([
  [{ path: 'a/:id' }, 'path'],
  [{ path: 7 }, 'path'],
  [{ guards: KeyGuard }, 'guards'],
  [{ allow: true }, 'allow'],
  [{ userOf: 'ada' }, 'userOf'],
  [{ readOnly: 'no' }, 'readOnly'],
  [{ title: '' }, 'title'],
  [{ readonly: true }, 'readonly'],
])('the options %j are refused at once', (options, named) => {
  expect(() => Reflect.apply(DistributedLockDashboardModule.forRoot, undefined, [options])).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringContaining(named) }),
  );
});

test('an ACL without SCAN leaves the jobs as they are, and says so at the locks', async () => {
  await admin.acl('SETUSER', 'scanless', 'on', '>pw', '~*', '&*', '+@all', '-scan');
  const url = new URL(server().url);
  url.username = 'scanless';
  url.password = 'pw';
  const board = await startBoard({ redis: url.href });
  running.push(board);
  const root = `${board.origin}/locks`;
  await (await watch(root, 'topic=jobs')).next('jobs');
  const trouble = await (await watch(root, 'topic=locks&prefix=')).next<TroubleEvent>('trouble');
  expect(trouble.message).toBe('Redis refused to be read (REJECTED_BY_REDIS)');
  await admin.acl('DELUSER', 'scanless');
});
