import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { Cluster } from 'ioredis';
import { DistributedLockModule, LockService } from '../../dist/esm/index.js';
import { createClient } from 'redis';
import { nodesOf } from './client.mjs';

/** @typedef {import('../../dist/esm/index.js').LockHandle} LockHandle */

/** The semaphores of this process. @type {Record<string, Promise<boolean>>} */
const MADE = {};

/**
 * This library, in a Nest application.
 * @param {string} url
 * @param {import('../bench.types.js').Settings} settings `kind`: of lock; `permits`: of a semaphore instead, how many it has; `leaseTime`: of every hold, in ms; `lockWatchdogTimeout`; `client`: "redis" for node-redis
 * @returns {Promise<import('../bench.types.js').Contestant<LockHandle>>}
 */
export async function open(url, { kind = 'reentrant', permits, leaseTime, lockWatchdogTimeout, client }) {
  const watchdog =
    lockWatchdogTimeout === undefined ? {} : { lockWatchdogTimeout: Number(lockWatchdogTimeout) };
  const nodes = nodesOf(url);
  // A client that is given is a template, and need not be connected.
  const ofOneServer = client === 'redis' ? createClient({ url }) : url;
  const redis = nodes === undefined ? ofOneServer : new Cluster(nodes, { lazyConnect: true });
  const module = DistributedLockModule.forRoot({ redis, ...watchdog });
  const app = await NestFactory.createApplicationContext(module, { logger: false });
  const locks = app.get(LockService);
  const lease = leaseTime === undefined ? {} : { leaseTime: Number(leaseTime) };
  const lockOf = (/** @type {string} */ name) => {
    if (permits !== undefined) return permitsOf(locks, name, Number(permits));
    if (kind === 'write') return locks.getReadWriteLock(name).writeLock();
    return kind === 'fair' ? locks.getFairLock(name) : locks.getLock(name);
  };
  return {
    tryAcquire: (name) => lockOf(name).tryLock(lease),
    acquire: (name) => lockOf(name).lock(lease),
    release: (handle) => handle.unlock(),
    using: (name, work) => lockOf(name).using(work, lease),
    another: () =>
      open(url, {
        kind,
        ...(permits !== undefined && { permits }),
        ...lease,
        ...watchdog,
        ...(client && { client }),
      }),
    close: () => app.close(),
  };
}

/**
 * A semaphore, taken as a lock is. It is made by the first call.
 * @param {LockService} locks
 * @param {string} name
 * @param {number} count
 */
function permitsOf(locks, name, count) {
  const semaphore = locks.getPermitExpirableSemaphore(name);
  const made = (MADE[name] ??= semaphore.trySetPermits(count));
  return {
    tryLock: (/** @type {object} */ options) => made.then(() => semaphore.tryAcquire(options)),
    lock: (/** @type {object} */ options) => made.then(() => semaphore.acquire(options)),
    /** @param {() => void | Promise<void>} work @param {object} options */
    using: (work, options) => made.then(() => semaphore.using(work, options)),
  };
}
