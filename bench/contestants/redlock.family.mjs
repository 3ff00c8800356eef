/** redlock 5 and its fork, which has the same calls. */
import { Redis } from 'ioredis';

/** @typedef {{ release(): Promise<unknown> }} Held */
/** @typedef {{ using(resources: string[], duration: number, routine: () => Promise<void>): Promise<void> }} Using */
/** @typedef {Using & { acquire(resources: string[], duration: number): Promise<Held>, on(event: 'error', listener: () => void): unknown }} Redlock */

/**
 * @param {new (clients: Redis[], settings: object) => Redlock} Kind
 * @param {string} url
 * @param {import('../bench.types.js').Settings} settings `renewed`: locks are kept alive, with that lease in ms
 * @returns {import('../bench.types.js').Contestant<Held>}
 */
export function redlockOf(Kind, url, { autopipelining = false, renewed, ...options }) {
  const client = new Redis(url, { enableAutoPipelining: autopipelining === true });
  const patient = new Kind([client], { ...options, retryCount: -1 });
  const once = new Kind([client], { ...options, retryCount: 0 });
  for (const redlock of [patient, once]) redlock.on('error', () => undefined);
  return {
    tryAcquire: (name) => once.acquire([name], 30_000),
    acquire:
      renewed === undefined ? (name) => patient.acquire([name], 30_000) : renewedBy(patient, Number(renewed)),
    release: (lock) => lock.release(),
    close: () => client.quit(),
  };
}

/**
 * Keeps a lock alive until it is released, by work that does nothing else than to wait for that.
 * @param {Using} redlock
 * @param {number} lease in ms
 * @returns {(name: string) => Promise<{ release(): Promise<void> }>}
 */
function renewedBy(redlock, lease) {
  return (name) =>
    new Promise((resolve, reject) => {
      const ended = redlock.using([name], lease, () => {
        return new Promise((release) => {
          resolve({
            release: () => {
              release();
              return ended;
            },
          });
        });
      });
      ended.catch(reject);
    });
}
