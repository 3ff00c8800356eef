import type { Lock } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import type { Sharing } from './belief.js';

/** A kind of lock, as callers use it. */
export interface CalledKind {
  readonly name: string;
  readonly lock: (service: LockService, key: string) => Lock;
  readonly sharing: Sharing;
  /** Whether a scope may acquire it again. */
  readonly isReentrant: boolean;
  /** Another lock that a scope which has this one may acquire: the readers' side of a writer. */
  readonly inner?: (service: LockService, key: string) => Lock;
  /** The first part of its keys: the sides of a read/write lock have the same ones. */
  readonly family: string;
}

export const KINDS: readonly CalledKind[] = [
  {
    name: 'reentrant',
    lock: (service, key) => service.getLock(key),
    sharing: 'alone',
    isReentrant: true,
    family: 'plain',
  },
  {
    name: 'fair',
    lock: (service, key) => service.getFairLock(key),
    sharing: 'alone',
    isReentrant: true,
    family: 'fair',
  },
  {
    name: 'fenced',
    lock: (service, key) => service.getFencedLock(key),
    sharing: 'alone',
    isReentrant: true,
    family: 'fenced',
  },
  {
    name: 'spin',
    lock: (service, key) => service.getSpinLock(key),
    sharing: 'alone',
    isReentrant: true,
    family: 'spin',
  },
  {
    name: 'nonReentrant',
    lock: (service, key) => service.getNonReentrantLock(key),
    sharing: 'alone',
    isReentrant: false,
    family: 'single',
  },
  {
    name: 'write',
    lock: (service, key) => service.getReadWriteLock(key).writeLock(),
    inner: (service, key) => service.getReadWriteLock(key).readLock(),
    sharing: 'alone',
    isReentrant: true,
    family: 'rw',
  },
  {
    name: 'read',
    lock: (service, key) => service.getReadWriteLock(key).readLock(),
    sharing: 'with readers',
    isReentrant: true,
    family: 'rw',
  },
];

/** So many locks of each kind. */
export const NAMES = 2;

/** The fenced lock of an election. */
export const LEADER = 'leader';

/** Uses each lock once. */
export function usesOfEachLock(service: LockService): Promise<void>[] {
  return KINDS.flatMap(({ family, lock }) =>
    Array.from({ length: NAMES }, (_, name) => lock(service, `${family}.${name}`).using(() => undefined)),
  );
}
