import { randomUUID } from 'node:crypto';
import { connect, load } from './client.mjs';

const ACQUIRE = `if redis.call('SET', KEYS[1], ARGV[1], 'NX') then return 1 end
  redis.call('RPUSH', KEYS[2], ARGV[1]) return 0`;
const RELEASE = `local next = redis.call('LPOP', KEYS[2]) if not next then return redis.call('DEL', KEYS[1]) end
  redis.call('SET', KEYS[1], next) return redis.call('PUBLISH', string.match(next, '^[^:]*'), next)`;

/**
 * The limit of a lock that the fleet has in its order: a list in Redis, and a message to the process of the next one, which has the
 * lock by then. Nothing is renewed, nobody may die or leave, and it has one lease: for ever.
 * @param {string} url
 * @returns {Promise<import('../bench.types.js').Contestant<string>>}
 */
export async function open(url) {
  const [client, ear] = [connect(url, false), connect(url, false)];
  const [acquire, release] = await Promise.all([ACQUIRE, RELEASE].map((script) => load(client, script)));
  if (acquire === undefined || release === undefined) throw new Error('unreachable');
  const self = randomUUID();
  let asked = 0;
  /** @type {Map<string, () => void>} */
  const waiting = new Map();
  ear.on('message', (/** @type {string} */ _channel, /** @type {string} */ id) => waiting.get(id)?.());
  await ear.subscribe(self);
  return {
    acquire: async (name) => {
      asked += 1;
      const id = `${self}:${asked}`;
      const told = new Promise((resolve) => waiting.set(id, () => resolve(undefined)));
      if ((await client.evalsha(acquire, 2, name, `${name}:queue`, id)) !== 1) await told;
      waiting.delete(id);
      return name;
    },
    release: (name) => client.evalsha(release, 2, name, `${name}:queue`),
    another: () => open(url),
    close: async () => {
      ear.disconnect();
      await client.quit();
    },
  };
}
