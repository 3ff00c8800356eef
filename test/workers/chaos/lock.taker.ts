import type { Lock, Lockable, LockHandle, LockService } from 'nestjs-distributed-lock';
import { type DrawnCall, ROOM, SEMAPHORE_LIFE } from './call.draw.js';

/** What a caller has in hand while it has the lock. */
export interface Taken {
  readonly handle: LockHandle | undefined;
  unlock(): Promise<string>;
  /** Once more, inside; for locks that can. */
  readonly again: (() => Promise<LockHandle | null>) | undefined;
}

/** How a call waits. */
export interface Waiting {
  readonly waitTime: number;
  readonly signal: AbortSignal | undefined;
}

/** Takes what the call says. @returns undefined when somebody else has it */
export async function take(
  locks: LockService,
  call: DrawnCall,
  { waitTime, signal }: Waiting,
): Promise<Taken | undefined> {
  const { sort, names, lease } = call;
  const [name = ''] = names;
  const options = { waitTime, signal, leaseTime: lease === 0 ? undefined : lease };
  if (sort === 'semaphore') {
    const semaphore = locks.getSemaphore(name);
    await semaphore.trySetPermits(ROOM, SEMAPHORE_LIFE);
    if (!(await semaphore.tryAcquire(call.permits, { waitTime, signal }))) return undefined;
    const unlock = async () => ((await semaphore.releaseIfExists(call.permits)) ? 'released' : 'lost');
    return { handle: undefined, unlock, again: undefined };
  }
  if (sort === 'permit') {
    const semaphore = locks.getPermitExpirableSemaphore(name);
    await semaphore.trySetPermits(ROOM);
    return takenBy(await semaphore.tryAcquire(options), undefined);
  }
  const lock = lockableOf(locks, call, name);
  const handle = await lock.tryLock(options);
  const reenters = sort !== 'nonReentrant' && sort !== 'red';
  const inner = { leaseTime: options.leaseTime, waitTime: 200 };
  return takenBy(handle, reenters ? (held) => held.run(() => lock.tryLock(inner)) : undefined);
}

function takenBy(
  handle: LockHandle | null,
  again: ((held: LockHandle) => Promise<LockHandle | null>) | undefined,
): Taken | undefined {
  if (handle === null) return undefined;
  const inside = again === undefined ? undefined : () => again(handle);
  return { handle, unlock: () => handle.unlock(), again: inside };
}

function lockableOf(locks: LockService, { sort, names }: DrawnCall, name: string): Lock | Lockable {
  switch (sort) {
    case 'nonReentrant':
      return locks.getNonReentrantLock(name);
    case 'fair':
      return locks.getFairLock(name);
    case 'fenced':
      return locks.getFencedLock(name);
    case 'spin':
      return locks.getSpinLock(name);
    case 'read':
      return locks.getReadWriteLock(name).readLock();
    case 'write':
      return locks.getReadWriteLock(name).writeLock();
    case 'multi':
      return locks.getMultiLock(...names);
    case 'red':
      return locks.getRedLock(name);
    default:
      return locks.getLock(name);
  }
}
