import { Redis } from 'ioredis';
import { createLock, IoredisAdapter } from 'redlock-universal';

/**
 * @param {string} url
 * @param {import('../bench.types.js').Settings} settings
 * @returns {Promise<import('../bench.types.js').Contestant>}
 */
export async function open(url, { autopipelining = false, ...options }) {
  const client = new Redis(url, { enableAutoPipelining: autopipelining === true });
  const adapter = new IoredisAdapter(client);
  const settings = { adapter, ttl: 30_000, ...options };
  return {
    tryAcquire: async (key) => {
      const lock = createLock({ ...settings, key, retryAttempts: 0 });
      const handle = await lock.acquire();
      return { lock, handle };
    },
    acquire: async (key) => {
      // It has no way to wait without a bound.
      const lock = createLock({ ...settings, key, retryAttempts: 1_000_000, circuitBreaker: false });
      const handle = await lock.acquire();
      return { lock, handle };
    },
    release: ({ lock, handle }) => lock.release(handle),
    close: () => client.quit(),
  };
}
