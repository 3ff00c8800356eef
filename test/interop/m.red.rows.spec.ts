import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import type { RunningRedis } from '../../tools/redis/redis.types.js';
import { scaled } from '../support/slowness.js';
import { lockLoop } from '../workers/interop/lock.loop.js';
import { interopRows, LONG } from './interop.rows.js';
import { overlaps } from './lock.sections.js';
import { timed } from './timed.js';

const stage = interopRows();

const NAME = 'm2';
const MAJORITY = 2;
const ROUNDS = 10;
/** How long either side asks a server that is away, in ms. */
const PATIENCE = scaled(300);

/** What servers still have, those that are up. */
async function keysOf(servers: readonly RunningRedis[]): Promise<string[]> {
  const clients = servers.map(({ url }) => new Redis(url));
  const keys = await Promise.all(clients.map((client) => client.keys('*')));
  for (const client of clients) client.disconnect();
  return keys.flat();
}

test('M2 a red lock over 3 servers, one of them down', LONG, async () => {
  const { java, observer, notes } = stage();
  const servers = await Promise.all([startRedis(), startRedis(), startRedis()]);
  const clients = servers.map((_, index) => `server${index}`);
  try {
    for (const [index, client] of clients.entries()) {
      await java.connect(client, servers[index]?.url ?? '', { patience: PATIENCE });
    }
    const options = { commandTimeout: PATIENCE, redLock: { restartDelay: 0 } };
    const node = await stage().node(
      options,
      stage().url,
      servers.map(({ url }) => url),
    );
    const lock = node.getRedLock(NAME);
    const ofJava = () => {
      const members = clients.map((client) => ({ kind: 'reentrant', name: NAME, client }) as const);
      return java.owner().redLock(...members);
    };
    const j = ofJava();

    for (const isWhole of [true, false]) {
      if (!isWhole) await servers[2]?.kill();
      const up = isWhole ? servers : servers.slice(0, 2);
      expect((await j.tryLock()).value).toBe(true);
      expect((await keysOf(up)).length).toBeGreaterThanOrEqual(MAJORITY);
      expect(await lock.tryLock()).toBeNull();
      const waiting = timed(() => lock.lock());
      await stage().passed(300);
      const released = await j.unlock();
      const granted = await waiting;
      notes.push(
        `with ${up.length} servers N granted ${(granted.at - released.from).toFixed(0)} ms after J's release`,
      );
      expect((await keysOf(up)).length).toBeGreaterThanOrEqual(MAJORITY);
      expect((await ofJava().tryLock()).value).toBe(false);
      expect(await granted.value.unlock()).toBe('released');
      expect(await keysOf(up)).toEqual([]);
    }

    const counter = 'counter:m2';
    const [byJava, byNode] = await Promise.all([
      ofJava().loop(counter, { times: ROUNDS }),
      lockLoop(lock, observer.redis, counter, (done) => done < ROUNDS),
    ]);
    const sections = [...byJava, ...byNode];
    expect(await observer.redis.get(counter)).toBe(`${2 * ROUNDS}`);
    expect(overlaps(sections)).toBe(0);
    expect(await keysOf(servers.slice(0, 2))).toEqual([]);
  } finally {
    for (const client of clients) await java.disconnect(client);
    await Promise.all(servers.map((server) => server.kill()));
  }
});
