import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { openLockService } from '../../libs/distributed-lock/src/startup/open.service.js';
import { readSettings } from '../../libs/distributed-lock/src/startup/settings.reader.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { commandsOf, readLines, scriptCommands, startGuarded, type GuardedRedis } from './acl.line.js';
import { doEverything } from './acl.scene.js';

/** What the connections themselves send. */
const BESIDE_SCRIPTS = ['EVALSHA', 'EVAL', 'SUBSCRIBE', 'UNSUBSCRIBE', 'PING', 'INFO', 'CLIENT|SETNAME'];

/** Sent every 15 s on a connection that listens, and where a lock could be given to a waiter with a long lease: nobody waits for that here. */
const SELDOM = ['PING', 'PUBSUB|NUMSUB'];

/** How many users try everything at the same time. */
const AT_ONCE = 6;

test('the line in the docs has the commands that scripts and connections use, and no more', async () => {
  const [line = []] = await readLines();
  expect(commandsOf(line).toSorted()).toEqual([...BESIDE_SCRIPTS, ...(await scriptCommands())].toSorted());
});

describe('of the least user', () => {
  const services: LockService[] = [];
  let redis: GuardedRedis;
  beforeAll(async () => {
    Logger.overrideLogger(false);
    redis = await startGuarded();
    await redis.admin.config('SET', 'acllog-max-len', '10000');
  });
  afterAll(async () => {
    await Promise.all(services.map((service) => service.shutDown()));
    await redis.stop();
  });

  async function open(url: string): Promise<LockService> {
    const settings = readSettings({ lockWatchdogTimeout: 600, shutdownTimeout: 0 });
    const service = await openLockService(settings, url);
    services.push(service);
    return service;
  }

  /** What users were refused, as `user COMMAND`. */
  async function refusals(): Promise<ReadonlySet<string>> {
    const log = (await redis.admin.acl('LOG', 1000)) as unknown[][];
    const entries = log.map((entry) => Object.fromEntries(pairs(entry)));
    return new Set(entries.map(({ username, object }) => `${username} ${String(object).toUpperCase()}`));
  }

  test(
    'nothing is refused',
    async () => {
      await redis.admin.acl('LOG', 'RESET');
      await doEverything(await open(redis.url), 'all', redis.admin);
      expect([...(await refusals())]).toEqual([]);
    },
    scaled(20_000),
  );

  test(
    'every command is needed: without it something is refused',
    async () => {
      const [line = []] = await readLines();
      const rules = line.filter((rule) => !SELDOM.some((command) => rule === `+${command.toLowerCase()}`));
      const commands = commandsOf(rules);
      const without = async (command: string) => {
        const url = new URL(redis.url);
        await redis.admin.acl(
          'SETUSER',
          command,
          ...line.filter((rule) => rule !== `+${command.toLowerCase()}`),
        );
        url.username = encodeURIComponent(command);
        await doEverything(await open(url.href), `${command}${services.length}`, redis.admin);
      };
      // Scripts are sent whole only where they are not known yet.
      await redis.admin.script('FLUSH');
      await without('EVAL');
      let missing = commands.filter((command) => command !== 'EVAL');
      // On a machine that is busy not everything comes to pass at the first attempt.
      for (let attempt = 1; attempt <= 3 && missing.length > 0; attempt += 1) {
        const left = missing.values();
        // All of them at once would take each other's CPU until the start of a service takes too long.
        const inTurn = async () => {
          for (const command of left) await without(command);
        };
        await Promise.all(Array.from({ length: AT_ONCE }, inTurn));
        const refused = await refusals();
        missing = commands.filter((command) => !refused.has(`${command} ${command}`));
      }
      expect(missing).toEqual([]);
    },
    scaled(30_000),
  );

  test.each([
    ['is given to the next one', [], '2'],
    ['is told to the next one, where the user may not ask who listens', ['-pubsub|numsub'], '0'],
  ] as const)(
    'a fair lock %s',
    async (_how, rules, message) => {
      const [line = []] = await readLines();
      await redis.admin.acl('SETUSER', message, ...line, ...rules);
      const url = new URL(redis.url);
      url.username = encodeURIComponent(message);
      const settings = readSettings({ shutdownTimeout: 0 });
      const [one, other] = [
        await openLockService(settings, url.href),
        await openLockService(settings, url.href),
      ];
      services.push(one, other);
      const ear = redis.admin.duplicate();
      const heard: string[] = [];
      ear.on('pmessage', (_pattern: string, _channel: string, payload: string) => heard.push(payload));
      await ear.psubscribe('*given*');
      const held = await one.getFairLock('given').lock();
      const waiting = other.getFairLock('given').lock();
      const channels = async () => await redis.admin.pubsub('CHANNELS', '*given*:*');
      await until('it listens', async () => (await channels()).length === 1);
      await held.unlock();
      expect(await (await waiting).unlock()).toBe('released');
      expect(heard).toEqual([message]);
      ear.disconnect();
    },
    scaled(20_000),
  );
});

function pairs(flat: readonly unknown[]): [string, unknown][] {
  return flat.flatMap((key, index) =>
    index % 2 === 0 ? [[String(key), flat[index + 1]] as [string, unknown]] : [],
  );
}
