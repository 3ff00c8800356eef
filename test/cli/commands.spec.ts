import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { Services } from '../support/services.js';
import { until } from '../support/until.js';
import { ask, say, type Said } from './command.stage.js';

const BIN = resolve('dist/esm/cli/main.js');

let folder: string;
let services: Services;
let service: LockService;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cli-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

beforeEach(async () => {
  services = new Services();
  service = await services.open();
});
afterEach(async () => {
  await services.close();
});

const command = (...args: string[]) => say([...args, '--prefix', services.prefix], inject('redisUrl'));
const json = async (...args: string[]) =>
  (await ask([...args, '--prefix', services.prefix], inject('redisUrl'))).json;

/** The built command as a process of its own. */
function start(...args: string[]) {
  const child = spawn(process.execPath, [BIN, ...args], {
    env: {
      ...process.env,
      REDIS_URL: inject('redisUrl'),
      MARK: join(folder, services.prefix.replaceAll(':', '-')),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = (async (): Promise<Said> => {
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    return { code: Number(code ?? -1), out, err };
  })();
  return { child, said };
}

/** `run` with the lock `job`; the command is this text of JavaScript. */
const run = (script: string, ...options: string[]) =>
  start('run', 'job', '--prefix', services.prefix, ...options, '--', process.execPath, '-e', script);

const sides = (its: LockService) => {
  const shelf = its.getReadWriteLock('x');
  return [shelf.readLock(), shelf.writeLock()];
};

const marked = () => {
  try {
    return readFileSync(join(folder, services.prefix.replaceAll(':', '-')), 'utf8');
  } catch {
    return '';
  }
};

/** Says that it runs, then goes on until it is asked to end. */
const STAYS = `const { appendFileSync } = require('node:fs');
const say = (word) => appendFileSync(process.env.MARK, word + ' ');
say('began');
setInterval(() => {}, 1000);`;

describe('ls', () => {
  test('lists locks of every kind with their holders, and nothing else', async () => {
    const other = await services.open();
    const held = await service.getLock('plain').lock();
    const inner = await held.run(() => service.getLock('plain').lock());
    const fenced = await service.getFencedLock('fenced').lock();
    const fair = await service.getFairLock('fair').lock();
    const waiting = other.getFairLock('fair').lock();
    // What stands beside a name with braces begins like the name.
    const reading = await service.getReadWriteLock('{s}helf').readLock().lock();
    const writing = await service.getReadWriteLock('desk').writeLock().lock();
    await service.getSemaphore('permits').trySetPermits(3);
    await services.admin.set(`${services.prefix}cache`, 'a value');
    await until('the waiter stands in the queue', async () =>
      JSON.stringify(await json('ls')).includes('"waiting":1'),
    );
    const { locks } = (await json('ls')) as { locks: Record<string, unknown>[] };
    expect(locks).toMatchObject([
      { name: 'desk', kind: 'write lock', holders: [{ holder: writing.holder, count: 1 }] },
      { name: 'fair', kind: 'fair lock', holders: [{ holder: fair.holder }], waiting: 1 },
      { name: 'fenced', kind: 'fenced lock' },
      { name: 'permits', kind: 'semaphore or latch', left: 3, holders: [] },
      { name: 'plain', kind: 'lock', holders: [{ holder: held.holder, count: 2 }], ttl: expect.any(Number) },
      { name: '{s}helf', kind: 'read lock', holders: [{ holder: reading.holder, count: 1 }] },
    ]);
    const table = (await command('ls')).out.split('\n');
    expect(table[0]).toMatch(/^NAME +KIND +HOLDER +COUNT +LEASE +WAITING$/);
    expect(table[2]).toMatch(new RegExp(`^fair +fair lock +${fair.holder} +1 +\\S+ s +1 in the queue$`));
    expect((await command('ls', '--limit', '2')).err).toContain('There are more than 2');
    await Promise.all([inner, held, fenced, fair, reading, writing].map((handle) => handle.unlock()));
    await (await waiting).unlock();
    await service.getSemaphore('permits').delete();
    await services.admin.del(`${services.prefix}cache`);
    expect((await command('ls')).out).toMatch(/^There is no lock with the prefix .* as --prefix\.\n$/);
    // A fencing token is declared to stay.
    await services.admin.del(`redisson_lock_token:{${services.prefix}fenced}`);
  });

  test('writes a name from users to the terminal in characters that cannot move its cursor', async () => {
    const name = 'evil\u001b[2J\u009b31m\nok forged';
    const held = await service.getLock(name).lock();
    const { out } = await command('ls');
    expect(out).toContain('evil\\u001b[2J\\u009b31m\\u000aok forged');
    expect((await command('show', name)).out).toMatch(/^name +evil\\u001b\[2J\\u009b31m\\u000aok forged\n/);
    const line = (await say(['show', name, '--json', '--prefix', services.prefix], inject('redisUrl'))).out;
    expect(line.trimEnd()).not.toMatch(/\p{Cc}/u);
    expect(JSON.parse(line)).toMatchObject({ name });
    await held.unlock();
  });
});

describe('show', () => {
  test('describes one lock, also one that is free', async () => {
    const held = await service.getFairLock('one').lock();
    const waiting = (await services.open()).getFairLock('one').lock();
    await until(
      'it is waited for',
      async () => ((await json('show', 'one')) as { waiting: number }).waiting === 1,
    );
    const { out } = await command('show', 'one');
    expect(out).toMatch(
      /kind +fair lock\nholder +\S+, 1 ×\nlease +[\d.]+ s\nwaiting +1 in the queue; \d connections listen\n {2}1\. +\S+\n$/,
    );
    await held.unlock();
    await (await waiting).unlock();
    expect(await json('show', 'one')).toMatchObject({ kind: 'free', holders: [], ttl: -2 });
  });

  test('refuses what cannot be a name', async () => {
    expect(await command('show', '{a}')).toMatchObject({ code: 0 });
    const { code, err } = await command('show', '{a}:tick');
    expect(code).toBe(2);
    expect(err).toMatch(/^nestjs-distributed-lock: Lock "\{a\}:tick" cannot use the key [^\n]*\n$/);
  });
});

describe('unlock', () => {
  test.each([
    ['a lock', (its: LockService) => [its.getLock('x'), its.getLock('x')]],
    ['a fair lock', (its: LockService) => [its.getFairLock('x'), its.getFairLock('x')]],
    ['a read lock', (its: LockService) => sides(its)],
    ['a write lock', (its: LockService) => sides(its).toReversed()],
  ] as const)('takes %s away, and wakes its waiters', async (_kind, locksOf) => {
    const [mine] = locksOf(service);
    const [, theirs] = locksOf(await services.open());
    const held = await mine?.lock();
    const waiting = theirs?.lock();
    await until('it is waited for', async () => (await services.channels()).length > 0);
    const { code, out } = await command('unlock', 'x', '--yes');
    expect(out).toContain('"x" was released. Its holder notices');
    expect(code).toBe(0);
    expect(await (await waiting)?.unlock()).toBe('released');
    expect(await held?.unlock()).toBe('lost');
  });

  test('asks for confirmation, and does nothing without a yes or without a terminal', async () => {
    const held = await service.getLock('x').lock();
    const url = inject('redisUrl');
    const line = ['unlock', 'x', '--prefix', services.prefix];
    const alone = await say(line, url);
    expect(alone).toMatchObject({ code: 2, err: expect.stringContaining('use --yes') });
    const no = await say(line, url, 'no\n');
    expect(no.err).toMatch(
      /is held by \S+, with a lease of [\d.]+ s\..*Release the lock\? \[y\/N\] Nothing was done\.\n$/,
    );
    expect(no.code).toBe(1);
    expect(await service.getLock('x').isLocked()).toBe(true);
    expect(await say(line, url, 'y\n')).toMatchObject({ code: 0 });
    expect(await service.getLock('x').isLocked()).toBe(false);
    expect(await held.unlock()).toBe('lost');
    expect(await json('unlock', 'x')).toEqual({ name: 'x', freed: false, holders: [] });
  });

  test('releases nothing that has another holder than the one that the question named', async () => {
    const first = await service.getLock('x').lock();
    let next: LockHandle | undefined;
    const line = ['unlock', 'x', '--prefix', services.prefix];
    const late = await say(line, inject('redisUrl'), async () => {
      await first.unlock();
      next = await service.getLock('x').lock();
      return 'y\n';
    });
    expect(late.err).toMatch(/Nothing was done: "x" has another holder by now\.\n$/);
    expect(late.code).toBe(1);
    expect(await next?.unlock()).toBe('released');
  });

  test('leaves a semaphore alone', async () => {
    await service.getSemaphore('s').trySetPermits(1);
    expect(await command('unlock', 's', '--yes')).toMatchObject({
      code: 2,
      err: expect.stringContaining('is not a lock'),
    });
    expect(await service.getSemaphore('s').availablePermits()).toBe(1);
    await service.getSemaphore('s').delete();
  });
});

test('runs shows the outcomes of the ticks of a job', async () => {
  await service.runOnce('nightly', 1000, () => undefined);
  await service.runOnce('nightly', 2000, () => Promise.reject(new Error('no paper'))).catch(() => undefined);
  const { out } = await command('runs', 'nightly');
  expect(out).toMatch(
    /^TICK +OUTCOME +ATTEMPT +TOOK +APP +INSTANCE +REASON\n1970-01-01T00:00:02\.000Z +failed +1 .*no paper\n/,
  );
  expect(await json('runs', 'nightly')).toMatchObject({
    runs: [
      { tick: 2000, outcome: 'failed' },
      { tick: 1000, outcome: 'completed' },
    ],
  });
  await service.jobs.forget('nightly');
});

describe('a name that Redis does not know', () => {
  test('runs reports it, with a code of its own, and leaves nothing behind', async () => {
    const { code, out, err } = await command('runs', 'typo');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(
      /^Redis has no record of job "typo" with the prefix "test:\S+"\. Give the key of the job, .* as --prefix\.\n$/,
    );
    expect(await command('runs', 'typo', '--json')).toMatchObject({
      code: 1,
      out: '{"job":"typo","runs":[],"isCut":false}\n',
      err,
    });
    expect(await services.keys()).toEqual([]);
  });

  test('runs of a job that has not run yet is done', async () => {
    await service.runOnce('new', 1000, () => undefined);
    await service.jobs.pause('new');
    expect(await command('runs', 'new')).toMatchObject({ code: 0, err: '' });
    await service.jobs.forget('new');
  });

  test.each(['show', 'unlock'])('%s reports that the lock is free, which is no mistake', async (name) => {
    const { code, out, err } = await command(name, 'typo');
    expect(code).toBe(0);
    expect(out + err).toMatch(
      /No process holds "typo" or waits for it\..*namePrefix is "test:|"typo" is not locked/,
    );
    expect(await services.keys()).toEqual([]);
  });
});

describe('run', () => {
  test('holds the lock while the command runs, and ends with its exit code', async () => {
    const { child, said } = run(`process.on('SIGTERM', () => process.exit(7)); ${STAYS}`);
    await until('the command runs', () => marked() === 'began ');
    expect(await service.getLock('job').tryLock()).toBeNull();
    child.kill('SIGTERM');
    expect(await said).toEqual({ code: 7, out: '', err: '' });
    expect(await service.getLock('job').isLocked()).toBe(false);
  });

  test('runs nothing when another holder has the lock, and reports it with a code of its own', async () => {
    const held = await service.getLock('job').lock();
    const refused = await run(STAYS).said;
    expect(refused).toMatchObject({
      code: 75,
      err: expect.stringContaining('another holder has the lock "job"'),
    });
    expect(marked()).toBe('');
    const waiting = run('console.log(process.env.LOCK_NAME)', '--wait', '30s');
    await until('it waits', async () => (await services.channels()).length > 0);
    await held.unlock();
    expect(await waiting.said).toEqual({ code: 0, out: 'job\n', err: '' });
  });

  test('ends the command and all that it has started when the lease is lost', async () => {
    const inner = `process.on('SIGTERM', () => say('asked')); ${STAYS}`;
    const script = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(inner)}], { stdio: 'inherit' });`;
    const { said } = run(script, '--grace', '300ms', '--lease', '3s', '--json');
    await until('the command runs', () => marked() === 'began ');
    await service.getLock('job').forceUnlock();
    const { code, err } = await said;
    expect(code).toBe(76);
    expect(err).toMatch(
      /Lock "job" is no longer held.* The command is terminated\.\n\{"name":"job","outcome":"lost".*\}\n$/,
    );
    expect(marked()).toBe('began asked ');
  });

  test.each([
    ['the signal that ended it', ['-e', 'process.kill(process.pid, "SIGKILL")'], process.execPath, 137],
    ['127 for a command that is not there', [], 'no-such-command-anywhere', 127],
    ['126 for an empty command', [], '', 126],
    ['126 for a path below a file', [], './package.json/x', 126],
  ])('ends with %s', async (_what, args, program, code) => {
    const { said } = start('run', 'job', '--prefix', services.prefix, '--', program, ...args);
    expect((await said).code).toBe(code);
    expect(await service.getLock('job').isLocked()).toBe(false);
  });
});

test.each([
  ['its version', '--version', 0, /^\d+\.\d+\.\d+\S*\n$/, /^$/],
  [
    'what is wrong with it, in one line',
    'lick',
    2,
    /^$/,
    /^nestjs-distributed-lock: Unknown command "lick". The commands are [^\n]* See --help\.\n$/,
  ],
])('a command of its own process prints %s', async (_what, word, code, out, err) => {
  const said = await start(word).said;
  expect(said.out).toMatch(out);
  expect(said.err).toMatch(err);
  expect(said.code).toBe(code);
});
