import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { judgeAcl } from '../../libs/distributed-lock/src/doctor/acl.judge.js';
import { aclProbes } from '../../libs/distributed-lock/src/doctor/acl.probes.js';
import { openSession } from '../../libs/distributed-lock/src/connections/server.session.js';
import { TimerWheel } from '../../libs/distributed-lock/src/timing/timer.wheel.js';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import type { RunningRedis } from '../../tools/redis/redis.types.js';
import { commandsOf, readLines } from '../security/acl.line.js';
import { Services } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { TcpProxy } from '../support/faults/tcp.proxy.js';
import { until } from '../support/until.js';
import { ask, say } from './command.stage.js';

interface Report {
  readonly isWell: boolean;
  readonly findings: readonly {
    readonly check: string;
    readonly status: string;
    readonly told: string;
    readonly remedy?: string;
  }[];
}

let healthy: RunningRedis;
let evicting: RunningRedis;
let replica: RunningRedis;
let admin: Redis;

beforeAll(async () => {
  healthy = await startRedis({ args: ['--appendonly', 'yes', '--repl-diskless-sync-delay', '0'] });
  admin = new Redis(healthy.url);
  [evicting, replica] = await Promise.all([
    startRedis({ args: ['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'] }),
    startRedis({ args: ['--replicaof', `127.0.0.1 ${healthy.port}`] }),
  ]);
  await until('the replica is in step', async () =>
    (await admin.info('replication')).includes('state=online'),
  );
});

afterAll(async () => {
  admin.disconnect();
  await Promise.all([healthy, evicting, replica].map((server) => server.stop()));
});

/** Some of what the docs' user may do. */
const SUNDRY = [
  '+hset',
  '+lpush',
  '+pexpire',
  '+evalsha',
  '~redisson_lock_token:{lock:*',
  '&redisson_rwlock:{lock:*',
];

/** The doctor's verdicts, by check. */
async function diagnose(
  url: string,
  ...options: string[]
): Promise<{
  code: number;
  isWell: boolean;
  of: (check: string) => Report['findings'][number] | undefined;
  bad: string[];
}> {
  const { code, json } = await ask(['doctor', url, ...options], '');
  const { isWell, findings } = json as Report;
  return {
    code,
    isWell,
    of: (check) => findings.find((finding) => finding.check === check),
    // How quick a round trip is depends on what else the machine has to do.
    bad: findings
      .filter(({ check, status }) => status !== 'ok' && check !== 'round-trip')
      .map(({ check, status }) => `${status} ${check}`),
  };
}

/** A user of the docs' line without some of its rules, who may ask ACL or not. */
async function userWithout(
  name: string,
  missing: readonly string[],
  more: readonly string[] = [],
): Promise<string> {
  const [line = []] = await readLines();
  await admin.acl('SETUSER', name, ...line.filter((rule) => !missing.includes(rule)), ...more);
  return healthy.url.replace('//', `//${name}:CHANGE-ME@`);
}

describe('the doctor', () => {
  test('finds a healthy Redis well, and leaves nothing behind', async () => {
    const { code, isWell, bad, of } = await diagnose(healthy.url);
    expect(bad).toEqual([]);
    expect([code, isWell]).toEqual([0, true]);
    expect(of('version')?.told).toMatch(/^(?:Redis|Valkey) \d/);
    expect(of('lock')?.told).toMatch(/the next waiter acquired it [\d.]+ ms after the release/);
    expect(of('round-trip')?.told).toContain('p99');
    expect(of('replicas')?.told).toContain('1 up to date');
    expect(await admin.keys('*')).toEqual([]);
    expect(await admin.pubsub('CHANNELS', '*')).toEqual([]);
  });

  test('prints a line for each check, and a sum', async () => {
    const { out, code } = await say(['doctor'], healthy.url);
    expect(out).toMatch(/^Redis at 127\.0\.0\.1:\d+\nok {4}connection {3}it answers \(client: ioredis\)\n/);
    expect(out).toMatch(/\n\d+ ok, \d warnings?, 0 failed\n$/);
    expect(code).toBe(0);
  });

  test('fails a Redis that evicts keys, and names what to set', async () => {
    const { code, bad, of } = await diagnose(evicting.url);
    expect(bad).toEqual(['fail eviction', 'warn persistence']);
    expect(code).toBe(1);
    expect(of('eviction')).toMatchObject({
      told: expect.stringContaining('allkeys-lru'),
      remedy: expect.stringContaining('maxmemory-policy noeviction'),
    });
  });

  test('fails a replica, and takes no lock there', async () => {
    const { code, bad, of } = await diagnose(replica.url);
    expect(bad).toEqual(['fail role', 'skip replicas', 'warn persistence', 'skip lock']);
    expect(code).toBe(1);
    expect(of('role')?.remedy).toContain('address of the master');
  });

  test('lets warnings pass, but not with --strict', async () => {
    const bare = await startRedis();
    try {
      expect(await diagnose(bare.url)).toMatchObject({ code: 0, isWell: true, bad: ['warn persistence'] });
      expect(await diagnose(bare.url, '--strict')).toMatchObject({ code: 1, isWell: false });
    } finally {
      await bare.stop();
    }
  });

  test('accepts the least-privilege user of the docs, which may not even run ACL WHOAMI', async () => {
    const { bad, of } = await diagnose(await userWithout('least', []));
    expect(bad).toEqual([]);
    expect(of('permissions')?.told).toContain('"least"');
  });

  test.each([
    ['of all sorts, by trying', 'tried', SUNDRY, []],
    ['of all sorts, by ACL DRYRUN', 'asked', SUNDRY, ['+acl|whoami', '+acl|dryrun']],
    ['to a key, which is not the fault of the commands, by trying', 'keyless', ['~lock:*'], []],
    ['to a key, by ACL DRYRUN', 'keyless2', ['~lock:*'], ['+acl|whoami', '+acl|dryrun']],
  ])('finds what a user may not do %s', async (_how, name, missing, more) => {
    const { code, of } = await diagnose(await userWithout(name, missing, more));
    const { status, told, remedy } = of('permissions') ?? {};
    expect(status).toBe('fail');
    expect(told?.split(' ').slice(3).toSorted()).toEqual(missing.toSorted());
    expect(remedy).toMatch(new RegExp(`^ACL SETUSER ${name} [+~]`));
    expect(of('lock')?.status).toBe('fail');
    expect(code).toBe(1);
    expect(await admin.keys('*')).toEqual([]);
  });

  test.each([
    ['of an older server, which scripts can always write to', SUNDRY, SUNDRY],
    // What would be created could not be taken away again, so it is not tried.
    ['of one that may delete nothing', ['+del', '+hset', '+hget'], ['+del', '+hget']],
  ])('tries the commands %s, and leaves nothing there', async (_how, missing, found) => {
    const wheel = new TimerWheel();
    const session = await openSession(
      await userWithout(`old${missing.length}`, missing),
      wheel,
      scaled(1000),
    );
    const probes = aclProbes('lock:x', 'lock:', { isCluster: false, isSharded: false });
    const judged = await judgeAcl(session.serverOf('lock:x'), 'lock:x', probes, false);
    await session.close();
    expect(judged.missing.map(({ rule }) => rule).toSorted()).toEqual(found.toSorted());
    expect(await admin.keys('*')).toEqual([]);
  });

  test('notices that waiters are not woken', async () => {
    const { of } = await diagnose(await userWithout('mute', ['+publish']));
    expect(of('permissions')?.told).toContain('lacks +publish');
    expect(of('lock')).toMatchObject({
      status: 'fail',
      told: expect.stringContaining('messages do not arrive'),
    });
  });

  test('accepts a user after its remedy was applied', async () => {
    const url = await userWithout('healed', ['+hget', '+subscribe', '~{lock:*']);
    const { remedy = '' } = (await diagnose(url)).of('permissions') ?? {};
    await admin.call('ACL', ...remedy.split(' ').slice(1));
    expect((await diagnose(url)).bad).toEqual([]);
  });

  test('only warns of what locks can do without', async () => {
    const { code, bad } = await diagnose(await userWithout('minor', ['+pubsub|numsub', '+client|setname']));
    expect([code, ...bad]).toEqual([0, 'warn permissions']);
  });

  test('checks the same commands as the docs', async () => {
    const [line = [], cluster = []] = await readLines();
    const rules = (isCluster: boolean) =>
      aclProbes('lock:x', 'lock:', { isCluster, isSharded: isCluster }).map(({ rule }) => rule);
    expect(commandsOf(rules(false)).toSorted()).toEqual(commandsOf(line).toSorted());
    const more = new Set(rules(true));
    expect(cluster.filter((rule) => !more.has(rule))).toEqual([]);
    // A name that has no braces is looked at: those with braces have patterns of their own.
    const patterns = rules(false).filter((rule) => /^[~&]/.test(rule));
    expect(patterns.filter((rule) => !line.includes(rule))).toEqual([]);
  });

  test('fails at once where no server listens', async () => {
    const began = performance.now();
    const { code, bad, of } = await diagnose('redis://127.0.0.1:1');
    expect(bad).toEqual(['fail connection']);
    expect(of('connection')).toMatchObject({
      told: expect.stringContaining('ECONNREFUSED'),
      remedy: expect.stringContaining('Check that Redis is up'),
    });
    expect(code).toBe(1);
    expect(performance.now() - began).toBeLessThan(scaled(1000));
  });

  test('fails with a wrong password, and does not repeat it', async () => {
    const { out, code } = await say(['doctor', healthy.url.replace('//', '//least:s3cret@')], '');
    expect(out).toContain('WRONGPASS');
    expect(out).not.toContain('s3cret');
    expect(code).toBe(1);
  });

  test('does not wait for a server that stands still', async () => {
    await evicting.pause();
    try {
      const began = performance.now();
      const { code, of } = await diagnose(evicting.url, '--timeout', '200ms');
      expect(of('connection')?.told).toBe('no answer within 200 ms');
      expect(code).toBe(1);
      expect(performance.now() - began).toBeLessThan(scaled(2000));
    } finally {
      await evicting.resume();
    }
  });
});

test('a server that stops answering in between ends the examination', async () => {
  const proxy = await TcpProxy.open(healthy.port);
  try {
    proxy.judge(({ name }) => {
      if (name === 'TIME') proxy.blackHole();
      return 'pass';
    });
    const { code, bad, of } = await diagnose(proxy.url, '--timeout', '200ms');
    expect([code, ...bad]).toEqual([1, 'fail clock']);
    expect(of('clock')?.told).toBe('the server has stopped answering: no answer within 200 ms');
    expect(of('lock')).toBeUndefined();
    expect(await say(['ls', '--timeout', '200ms'], proxy.url)).toMatchObject({
      code: 69,
      out: '',
      err: expect.stringMatching(
        /^nestjs-distributed-lock: Redis is unavailable: no answer within 200 ms\. [^\n]*\n$/,
      ),
    });
  } finally {
    await proxy.close();
  }
});

test('ls needs one permission more than locks do', async () => {
  const refused = await say(['ls'], await userWithout('looker', []));
  expect(refused).toMatchObject({
    code: 69,
    err: expect.stringMatching(/'scan' command\. .*docs\/security\.md/),
  });
  expect(await say(['ls'], await userWithout('looker', [], ['+scan']))).toMatchObject({ code: 0, err: '' });
});

describe('a boot', () => {
  test.each([
    ['warns once of a Redis that evicts keys, without waiting for it', {}, 1],
    ['says nothing of it with serverCheck: false', { serverCheck: false }, 0],
  ])('%s', async (_what, options, times) => {
    const warned: string[] = [];
    Logger.overrideLogger({
      log: () => undefined,
      error: () => undefined,
      warn: (text: string) => void warned.push(text),
    });
    const services = new Services(evicting.url, { admin: evicting.url });
    const locks = await services.open(options);
    await until('it has asked', () => warned.length >= times);
    // What is asked after it is answered after it.
    await locks.getLock('x').using(() => undefined);
    const told = warned.filter((text) => text.includes('allkeys-lru'));
    expect(told).toHaveLength(times);
    for (const text of told)
      expect(text).toMatch(
        /^Redis at \S+ endangers locks: eviction: allkeys-lru.* Set maxmemory-policy noeviction/,
      );
    await services.close();
  });

  test('logs nothing about a healthy Redis, nor about one that refuses the check', async () => {
    const warned: string[] = [];
    Logger.overrideLogger({
      log: () => undefined,
      error: () => undefined,
      warn: (text: string) => void warned.push(text),
    });
    for (const url of [healthy.url, await userWithout('silent', ['+info'])]) {
      const services = new Services(url, { admin: healthy.url, prefix: 'lock:silent:' });
      const locks = await services.open();
      await locks.getLock('x').using(() => undefined);
      await services.close();
    }
    expect(warned).toEqual([]);
  });
});
