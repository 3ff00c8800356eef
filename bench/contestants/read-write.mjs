import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { DistributedLockModule, LockService } from '../../dist/esm/index.js';

/** @typedef {import('../../dist/esm/index.js').LockHandle} LockHandle */

/**
 * One side of this library's read/write lock.
 * @param {string} url
 * @param {import('../bench.types.js').Settings} settings `side`: read or write; a name that ends in `:write` is written whatever it says
 * @returns {Promise<import('../bench.types.js').Contestant<LockHandle>>}
 */
export async function open(url, { side }) {
  const module = DistributedLockModule.forRoot({ redis: url });
  const app = await NestFactory.createApplicationContext(module, { logger: false });
  const locks = app.get(LockService);
  const lockOf = (/** @type {string} */ name) => {
    const lock = locks.getReadWriteLock(name.replace(/:write$/, ''));
    return side === 'write' || name.endsWith(':write') ? lock.writeLock() : lock.readLock();
  };
  return {
    tryAcquire: (name) => lockOf(name).tryLock(),
    acquire: (name) => lockOf(name).lock(),
    release: (handle) => handle.unlock(),
    close: () => app.close(),
  };
}
