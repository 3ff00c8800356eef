import { Redis } from 'ioredis';
import { expect, inject, onTestFinished, test } from 'vitest';
import { CommandCount } from '../../bench/run/command.count.mjs';

const NAME = 'test:bench:count';

test('commands that do not name the lock in a key or a channel are counted apart', async () => {
  const url = inject('redisUrl');
  const [client, subscriber] = [new Redis(url), new Redis(url)];
  onTestFinished(() => {
    client.disconnect();
    subscriber.disconnect();
  });
  const sha = String(await client.script('LOAD', "return redis.call('GET', KEYS[1])"));
  await subscriber.ping();
  const count = await CommandCount.begin(url, NAME);
  onTestFinished(() => count.close());
  await client.evalsha(sha, 1, `lock:${NAME}`);
  await client.evalsha(sha, 2, 'a', `{${NAME}}:waiting`, 'b');
  await subscriber.subscribe('a', `channel:{${NAME}}`);
  const { commands } = await count.end();
  expect(commands).toBe(3);

  // What an instance reports may name the locks for which it waits.
  await client.evalsha(sha, 1, 'instance', `{"callers":["${NAME}"]}`);
  await client.ping();
  const { commands: after, others } = await count.end();
  expect(after).toBe(3);
  expect(others).toBeGreaterThanOrEqual(2);
});
