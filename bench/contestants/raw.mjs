import { AsyncLocalStorage } from 'node:async_hooks';
import { connect, connectNodeRedis, corker, load } from './client.mjs';

const ACQUIRE = `if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('HSET', KEYS[1], ARGV[1], 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[2]) return nil end return redis.call('PTTL', KEYS[1])`;
const RELEASE = `if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
  redis.call('DEL', KEYS[1]) redis.call('PUBLISH', ARGV[2], '0') return 1`;

/**
 * The limit of a client that sends one command per operation: the two scripts that a lock on a hash needs, and nothing around them.
 * Who waits stands in a queue of the process, and takes the lock in Redis when the one before has released it.
 * @param {string} url
 * @param {import('../bench.types.js').Settings} settings `autopipelining`; `corked`: what a turn sends shares a write to each server; `scoped`: work has an async scope, which a lock that is re-entrant needs; `client`: "redis" for node-redis
 * @returns {Promise<import('../bench.types.js').Contestant<{ name: string, done: () => void }>>}
 */
export async function open(url, { autopipelining = false, corked = false, scoped = false, client: by }) {
  const ofIoredis = by === 'redis' ? undefined : connect(url, autopipelining === true);
  const client = ofIoredis ?? (await connectNodeRedis(url));
  const [acquire, release] = await Promise.all([ACQUIRE, RELEASE].map((script) => load(client, script)));
  if (acquire === undefined || release === undefined) throw new Error('unreachable');
  const holder = `bench:${process.pid}`;
  /** @type {Map<string, Promise<void>>} */
  const tails = new Map();
  const nothing = () => undefined;
  const cork = corked === true && ofIoredis !== undefined ? corker(ofIoredis) : nothing;
  const take = (/** @type {string} */ name) => {
    cork();
    return client.evalsha(acquire, 1, name, holder, 30_000);
  };
  const free = (/** @type {string} */ name) => {
    cork();
    return client.evalsha(release, 1, name, holder, `redisson_lock__channel:{${name}}`);
  };
  const scope = new AsyncLocalStorage();
  return {
    tryAcquire: async (name) => ((await take(name)) === null ? { name, done: nothing } : null),
    using: async (name, work) => {
      await take(name);
      await (scoped === true ? scope.run(name, work) : work());
      await free(name);
    },
    acquire: async (name) => {
      const before = tails.get(name);
      /** @type {() => void} */
      let done = nothing;
      tails.set(name, new Promise((resolve) => (done = resolve)));
      await before;
      await take(name);
      return { name, done };
    },
    release: async ({ name, done }) => {
      await free(name);
      done();
    },
    close: () => client.quit(),
  };
}
