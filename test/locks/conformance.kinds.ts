import { describe } from 'vitest';
import type { Lock } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockKinds } from '../../libs/distributed-lock/src/core/lock.kinds.js';
import type { RedisSource } from '../../libs/distributed-lock/src/redis-source/redis-source.reader.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import type { ServicesSeat } from '../support/services.js';
import { describeLock } from './conformance.suite.js';
import { describeExclusion } from './exclusion.suite.js';
import { describeHandle } from './handle.suite.js';
import { describeLease } from './lease.suite.js';
import { RedisFleet, StoreFleet, type FleetServices, type LockSubject } from './lock.fleet.js';
import { describeOrder } from './order.suite.js';
import { PermitLock } from './permit.lock.js';
import { describeScope } from './scope.suite.js';
import { describeSection } from './section.suite.js';
import { describeWaiters } from './waiters.suite.js';

/** Where the locks are. */
export interface Ground extends ServicesSeat {
  readonly source?: RedisSource;
  /** What makes the services, where they are on no Redis. */
  readonly services?: () => FleetServices;
}

/** How a lock of each kind is had, and what it is called. */
const LOCKS = {
  reentrant: { title: 're-entrant', lock: (service, name) => service.getLock(name) },
  fair: { title: 'fair', lock: (service, name) => service.getFairLock(name) },
  nonReentrant: { title: 'non-reentrant', lock: (service, name) => service.getNonReentrantLock(name) },
  fenced: { title: 'fenced', lock: (service, name) => service.getFencedLock(name) },
  spin: { title: 'spin', lock: (service, name) => service.getSpinLock(name) },
  write: { title: 'write', lock: (service, name) => service.getReadWriteLock(name).writeLock() },
} satisfies Partial<
  Record<keyof LockKinds, { title: string; lock: (service: LockService, name: string) => Lock }>
>;

/**
 * What every kind of lock must do, on any Redis.
 * @param ground the Redis that all tests share, if nothing is said
 * @param leases see {@link LockSubject.leases}
 */
export function describeKind(kind: keyof typeof LOCKS, ground?: () => Ground, leases = true): void {
  const { title, lock } = LOCKS[kind];
  describeLock(title, { ...subjectOf(kind, lock, ground), leases });
}

/**
 * The same on a Redis with several servers. A lease is counted by the process and kept by one key, wherever that is: each form of a key is
 * tested there once, as the re-entrant lock, the write lock and the permit; the other kinds have their leases tested on one server.
 */
export function describeKindOn(kind: keyof typeof LOCKS, ground: () => Ground): void {
  describeKind(kind, ground, kind === 'reentrant' || kind === 'write');
}

/**
 * A semaphore of one permit as a lock, on any Redis: all but what tells who holds a lock, and takes it from whoever holds it.
 * A semaphore knows permits, and no one holder.
 */
export function describePermit(ground?: () => Ground): void {
  const subject: LockSubject = {
    ...subjectOf('permit', (service, name) => new PermitLock(service, name), ground),
    holderId: /^[\da-f]{32}$/,
  };
  describe('a semaphore of one permit', () => {
    describeExclusion(subject);
    describeScope(subject);
    describeHandle(subject);
    describeSection(subject);
    describeWaiters(subject);
    describeOrder(subject);
    describeLease(subject);
  });
}

function subjectOf(kind: keyof LockKinds, lock: LockSubject['lock'], ground?: () => Ground): LockSubject {
  return {
    open: (options) => {
      const { source, services, ...seat } = ground?.() ?? {};
      return services === undefined
        ? RedisFleet.open(options, source, kind, seat)
        : StoreFleet.on(services(), options ?? {}, kind);
    },
    lock,
    reentrant: kind !== 'nonReentrant' && kind !== 'permit',
    fifo: true,
    turns: ground === undefined ? 100 : 20,
    leases: true,
  };
}
