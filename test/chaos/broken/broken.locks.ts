import type { LockSort } from '../chaos.types.js';
import type { Invariant } from '../violation.js';
import { LATE_REPLIES } from './late.replies.js';

/** A defect: what stands once in the built library, and what is put in its place. */
export interface Defect {
  readonly from: string;
  readonly to: string;
}

/** A library that is broken in one way, the faults that bring it to light, and the invariants of which one is violated then. */
export interface BrokenLock {
  readonly name: string;
  readonly defects: readonly Defect[];
  readonly faults: readonly string[];
  /** Whether the store has to lose data: then the checker judges by those rules. */
  readonly lossy: boolean;
  readonly violates: readonly Invariant[];
  /** Whether the defect is one of order or overlap: then no order of the operations is legal. */
  readonly isIllegal: boolean;
  /** @default those that share the scripts of the re-entrant lock */
  readonly sorts?: readonly LockSort[] | undefined;
  /** How long one run is. @default 6 */
  readonly seconds?: number | undefined;
}

export const BROKEN_LOCKS: readonly BrokenLock[] = [
  {
    name: 'a release that does not look who has the lock',
    defects: [
      {
        from: `local held = tonumber(redis.call('HGET', lock, holder))
local isRead, listeners, place, _, second`,
        to: `local held = tonumber(redis.call('HGET', lock, holder)) or 1
local isRead, listeners, place, _, second`,
      },
    ],
    // A grant whose reply is lost is undone later, when others may have the lock; a release that is late comes after its lease.
    faults: ['reply lost', 'connection delayed'],
    lossy: false,
    violates: ['I1', 'I2', 'I4'],
    isIllegal: true,
  },
  {
    name: 'a renewal that does not look who has the lock',
    defects: [
      {
        from: `if redis.call('HEXISTS', lock, holder) == 0 then
return {0}
end
local left = redis.call('PTTL', lock)
if lease > 0 and left <= lease then
redis.call('PEXPIRE', lock, lease)`,
        to: `if redis.call('HEXISTS', lock, holder) == 0 then
redis.call('HSET', lock, holder, 1)
end
local left = redis.call('PTTL', lock)
if lease > 0 and left <= lease then
redis.call('PEXPIRE', lock, lease)`,
      },
    ],
    // Its next renewal tells a holder that its lock is gone; this one takes it again, whoever has it now; a look does so for ever.
    faults: ['FLUSHALL'],
    lossy: true,
    violates: ['I1', 'I2', 'I4', 'I9'],
    isIllegal: true,
  },
  {
    name: 'a local deadline that is counted from the reply',
    defects: [
      {
        from: 'this.#deadline = Math.floor(sent.at) + ttl - ',
        to: 'this.#deadline = now() + ttl - ',
      },
      {
        from: 'const deadline = Math.floor(sent.at) + left - ',
        to: 'const deadline = now() + left - ',
      },
      { from: 'if (Math.floor(sent.at) + ttl - ', to: 'if (now() + ttl - ' },
      {
        from: 'this.fixed = fixedLease(leaseTime, sentAt);',
        to: 'this.fixed = fixedLease(leaseTime, now());',
      },
      {
        from: 'const next = fixedLease(leaseTime, sentAt);',
        to: 'const next = fixedLease(leaseTime, now());',
      },
    ],
    faults: [LATE_REPLIES.name],
    lossy: false,
    violates: ['I1', 'I2', 'I4'],
    isIllegal: true,
  },
  {
    name: 'a release that publishes nothing',
    defects: [
      { from: `local reached = redis.pcall(publish, channel, '0')`, to: 'local reached = 0' },
      {
        from: `return publishMessage(queue.publish, queue.channel .. ':' .. client, 'come ' .. number)`,
        to: 'return 1',
      },
    ],
    // The waiters of other processes sleep until the lease ends that they were told of, while the lock is free.
    faults: ['worker killed'],
    lossy: false,
    violates: ['I8'],
    isIllegal: false,
  },
];

/** Those that need no fault, only callers that meet. */
export const BROKEN_PLACES: readonly BrokenLock[] = [
  {
    name: 'a fenced lock whose tokens fall',
    defects: [
      {
        from: `redis.call('SET', counter, string.format('%.0f', clock))
end
return redis.call('GET', counter)`,
        to: `redis.call('SET', counter, string.format('%.0f', clock))
end
return string.format('%.0f', 9000000000000000 - clock)`,
      },
    ],
    faults: [],
    lossy: false,
    violates: ['I3'],
    isIllegal: true,
    sorts: ['fenced'],
    seconds: 2,
  },
  {
    name: 'a reader that does not look for a writer',
    defects: [
      {
        from: `if mode == 'write' and writer ~= holder then
return {0, redis.call('PTTL', lock), rwHolder(lock, writer)}`,
        to: `if false then
return {0, redis.call('PTTL', lock), rwHolder(lock, writer)}`,
      },
    ],
    faults: [],
    lossy: false,
    violates: ['I1', 'I2', 'I4', 'I9'],
    isIllegal: true,
    sorts: ['read', 'write'],
    seconds: 2,
  },
  {
    name: 'a semaphore that gives one permit too many',
    defects: [
      {
        from: `if available == nil or available < 1 then
return {0, nextExpiry(`,
        to: `if available == nil or available < 0 then
return {0, nextExpiry(`,
      },
      {
        from: `local isFree = available ~= nil and available > 0`,
        to: `local isFree = available ~= nil and available > -1`,
      },
    ],
    faults: [],
    lossy: false,
    violates: ['I1', 'I9'],
    isIllegal: true,
    sorts: ['permit'],
    seconds: 2,
  },
];
