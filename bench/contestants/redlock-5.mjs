import { Redis } from 'ioredis';
import { renewedBy } from './redlock.renewal.mjs';
import Redlock from 'redlock-5';

/**
 * @param {string} url
 * @param {import('../bench.types.js').Settings} settings `renewed`: locks are kept alive, with that lease in ms
 * @returns {Promise<import('../bench.types.js').Contestant<{ release(): Promise<unknown> }>>}
 */
export async function open(url, { autopipelining = false, renewed, ...options }) {
  const client = new Redis(url, { enableAutoPipelining: autopipelining === true });
  const patient = new Redlock([client], { ...options, retryCount: -1 });
  const once = new Redlock([client], { ...options, retryCount: 0 });
  for (const redlock of [patient, once]) redlock.on('error', () => undefined);
  return {
    tryAcquire: (name) => once.acquire([name], 30_000),
    acquire:
      renewed === undefined ? (name) => patient.acquire([name], 30_000) : renewedBy(patient, Number(renewed)),
    release: (lock) => lock.release(),
    close: () => client.quit(),
  };
}
