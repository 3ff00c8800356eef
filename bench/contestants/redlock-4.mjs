import { Redis } from 'ioredis';
import Redlock from 'redlock-4';

/**
 * @param {string} url
 * @param {import('../bench.types.js').Settings} settings
 * @returns {Promise<import('../bench.types.js').Contestant<{ unlock(): Promise<unknown> }>>}
 */
export async function open(url, { autopipelining = false, ...options }) {
  const client = new Redis(url, { enableAutoPipelining: autopipelining === true });
  const patient = new Redlock([client], { ...options, retryCount: -1 });
  const once = new Redlock([client], { ...options, retryCount: 0 });
  return {
    tryAcquire: (name) => once.lock(name, 30_000),
    acquire: (name) => patient.lock(name, 30_000),
    release: (lock) => lock.unlock(),
    close: () => client.quit(),
  };
}
