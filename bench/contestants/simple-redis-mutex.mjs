import { createClient } from 'redis';
import { lock, tryLock } from 'simple-redis-mutex';

/**
 * @param {string} url
 * @returns {Promise<import('../bench.types.js').Contestant<() => Promise<void>>>}
 */
export async function open(url) {
  const client = createClient({ url });
  await client.connect();
  return {
    tryAcquire: async (name) => {
      const [isLocked, release] = await tryLock(client, name);
      return isLocked ? release : null;
    },
    acquire: (name) => lock(client, name),
    release: (release) => release(),
    close: () => client.close(),
  };
}
