import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { Cluster } from 'ioredis';
import { DistributedLockModule, LockService } from '../../dist/esm/index.js';
import { createClient } from 'redis';
import { nodesOf } from './client.mjs';

/** @typedef {import('../../dist/esm/index.js').LockHandle} LockHandle */

/**
 * This library, in a Nest application.
 * @param {string} url
 * @param {import('../bench.types.js').Settings} settings `kind`: of lock; `leaseTime`: of every hold, in ms; `lockWatchdogTimeout`; `client`: "redis" for node-redis
 * @returns {Promise<import('../bench.types.js').Contestant<LockHandle>>}
 */
export async function open(url, { kind = 'reentrant', leaseTime, lockWatchdogTimeout, client }) {
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
  const lockOf = (/** @type {string} */ name) =>
    kind === 'fair' ? locks.getFairLock(name) : locks.getLock(name);
  return {
    tryAcquire: (name) => lockOf(name).tryLock(lease),
    acquire: (name) => lockOf(name).lock(lease),
    release: (handle) => handle.unlock(),
    using: (name, work) => lockOf(name).using(work, lease),
    another: () => open(url, { kind, ...lease, ...watchdog, ...(client && { client }) }),
    close: () => app.close(),
  };
}
