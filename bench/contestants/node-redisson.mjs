import { Redisson } from 'node-redisson';

/**
 * @param {string} url
 * @returns {Promise<import('../bench.types.js').Contestant<{ unlock(): Promise<unknown> }>>}
 */
export async function open(url) {
  const { hostname: host, port } = new URL(url);
  const redisson = new Redisson({ redis: { options: { host, port: Number(port) } } });
  let callers = 0;
  // It tells holders apart by an id of the caller's; its default is one for the whole process.
  const lockOf = (/** @type {string} */ name) => redisson.getLock(name, `${process.pid}-${(callers += 1)}`);
  return {
    tryAcquire: async (name) => {
      const lock = lockOf(name);
      return (await lock.tryLock(0, true)) ? lock : null;
    },
    acquire: async (name) => {
      const lock = lockOf(name);
      await lock.lock();
      return lock;
    },
    release: (lock) => lock.unlock(),
    close: () => redisson.quit(),
  };
}
