import { connect, load } from './client.mjs';

const ACQUIRE = `return redis.call('SET', KEYS[1], ARGV[1], 'NX') and 1 or 0`;
const RELEASE = `redis.call('DEL', KEYS[1]) return redis.call('PUBLISH', KEYS[1], '0')`;

/**
 * The limit of a hand-over from one process to another on a wire whose release names nobody: a script that releases and publishes, and
 * one that acquires, sent at the message. Its subscription stands, and there is no lease, no name of a holder, and one waiter.
 * @param {string} url
 * @returns {Promise<import('../bench.types.js').Contestant<string>>}
 */
export async function open(url) {
  const [client, ear] = [connect(url, false), connect(url, false)];
  const [acquire, release] = await Promise.all([ACQUIRE, RELEASE].map((script) => load(client, script)));
  if (acquire === undefined || release === undefined) throw new Error('unreachable');
  /** @type {Set<string>} */
  const heard = new Set();
  /** @type {Map<string, () => void>} */
  const waiting = new Map();
  ear.on('message', (/** @type {string} */ channel) => waiting.get(channel)?.());
  return {
    acquire: async (name) => {
      if (!heard.has(name)) await ear.subscribe(name);
      heard.add(name);
      for (;;) {
        const told = new Promise((resolve) => waiting.set(name, () => resolve(undefined)));
        if ((await client.evalsha(acquire, 1, name, '1')) === 1) return name;
        await told;
      }
    },
    release: (name) => client.evalsha(release, 1, name),
    close: async () => {
      ear.disconnect();
      await client.quit();
    },
  };
}
