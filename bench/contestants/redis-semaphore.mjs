import { Redis } from 'ioredis';
import { Mutex } from 'redis-semaphore';

/**
 * @param {string} url
 * @param {import('../bench.types.js').Settings} settings
 * @returns {Promise<import('../bench.types.js').Contestant<Mutex>>}
 */
export async function open(url, { autopipelining = false, ...options }) {
  const client = new Redis(url, { enableAutoPipelining: autopipelining === true });
  const settings = { lockTimeout: 30_000, acquireTimeout: Infinity, ...options };
  return {
    tryAcquire: async (name) => {
      const mutex = new Mutex(client, name, settings);
      return (await mutex.tryAcquire()) ? mutex : null;
    },
    acquire: async (name) => {
      const mutex = new Mutex(client, name, settings);
      await mutex.acquire();
      return mutex;
    },
    release: (mutex) => mutex.release(),
    close: () => client.quit(),
  };
}
