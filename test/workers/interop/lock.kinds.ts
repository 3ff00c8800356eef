import type { Lock, LockService } from 'nestjs-distributed-lock';
import type { NodeKind } from './interop.protocol.js';

/** The lock of that kind. */
export function lockOf(locks: LockService, kind: NodeKind, name: string): Lock {
  switch (kind) {
    case 'reentrant':
      return locks.getLock(name);
    case 'fair':
      return locks.getFairLock(name);
    case 'read':
      return locks.getReadWriteLock(name).readLock();
    case 'write':
      return locks.getReadWriteLock(name).writeLock();
    case 'fenced':
      return locks.getFencedLock(name);
    case 'spin':
      return locks.getSpinLock(name);
  }
}
