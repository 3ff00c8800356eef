/** The remedy of each error code. */
export const REMEDIES = {
  NOT_ACQUIRED:
    'Raise waitTime, answer the caller with "busy", or find out why the lock is held for so long.',
  TOO_MANY_WAITERS:
    'Raise maxWaiters, or limit the calls that request this lock: maxWaiters callers of this process already wait for it.',
  NOT_LEADER: 'Send the call to the leading instance, or try again when this instance leads.',
  LOST: 'Stop writing: another holder may be at work. The message names the reason.',
  RELEASED:
    'Await all work, and consume its result, inside the scope of the lock: work that continues after the release is not protected.',
  MAX_HOLD: 'The hold lasted longer than maxHold. Make the work shorter, or raise maxHold.',
  UNAVAILABLE: 'Check that Redis is up and reachable. No work was run without its lock.',
  NOT_REPLICATED:
    'The grant was undone. Check the replicas and their lag; raise replication.timeout, or lower replication.acks.',
  REJECTED_BY_REDIS:
    'Redis refused the command. Check the message of Redis: missing permissions, full memory and read-only replicas are the usual causes.',
  WRONG_TYPE: 'The key of this name holds a value of another type. Choose another name or namePrefix.',
  SHUTTING_DOWN:
    'The application is shutting down; a lock is granted only inside work that already holds one.',
  INVALID_OPTION: 'Correct the option; nothing was sent to Redis.',
  INVALID_NAME:
    'Use a name of 1 to 1024 characters, without NUL or a lone surrogate. Some names are reserved for internal keys: see docs/security.md.',
  NOT_BOUND:
    'Import DistributedLockModule.forRoot() in the root module, and let Nest create the instance. An instance from useFactory or useValue gets its LockService when the application has started.',
  CLIENT_NOT_INSTALLED:
    'Run npm install ioredis, or npm install redis: the library uses the Redis client that the application has.',
  NOT_ASYNC:
    'Return a promise or an Observable: a lock is acquired by a call to Redis, and held until the work has ended.',
  INVALID_TARGET: 'Put the decorator on a method of a class that Nest manages.',
  DUPLICATE_JOB: 'Give each scheduled method a key of its own, or set shared: true on both.',
  UNKNOWN_JOB:
    'Check the job key, namePrefix and the database. An instance registers its jobs when it starts. If the record of the job was deleted, the next tick registers the job again.',
  UNKNOWN_SCHEDULER: 'Use @nestjs/schedule 6 or 12, or a version of this library that supports your version.',
  UNBOUND_SCHEDULE:
    'The scheduler does not run this schedule. Put it on a method of a provider or controller, or remove @DistributedLock.',
  UNCLEAR_CALL:
    'Put @DistributedLock above every decorator that delays or skips calls. For a direct call of a scheduled method, use directCall(() => …).',
  KIND_CONFLICT:
    'Use one kind of lock for each name, or give the second lock another name: the kinds do not share their state in Redis.',
  NOT_REENTRANT: 'Use a re-entrant kind of lock, or pass the handle on instead of acquiring the lock again.',
  UPGRADE:
    'Acquire the write lock first, and the read lock inside it; or release the read lock, acquire the write lock, and read again.',
  STALE_TOKEN:
    'Write nothing: another holder has acquired the lock since. Acquire the lock again, and read the data again before writing.',
  NOT_LOCKED: 'Run this code inside using(), a decorated method or an intercepted handler of that lock.',
} as const;

/** The stable code of an error, for programs to branch on. docs/troubleshooting.md explains each code. */
export type LockErrorCode = keyof typeof REMEDIES;

/** The page that explains each code. The package has it, so it is there without a network, and in the same version. */
const PAGE = 'node_modules/nestjs-distributed-lock/docs/troubleshooting.md';

/** Where the documentation explains the code. */
export function helpFor(code: LockErrorCode): string {
  return `${PAGE}#${code.toLowerCase()}`;
}
