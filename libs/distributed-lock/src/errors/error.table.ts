/** Every code, with what its reader can do about it. */
export const REMEDIES = {
  NOT_ACQUIRED:
    'Raise waitTime, answer the caller with "busy", or find out why the lock is held for so long.',
  TOO_MANY_WAITERS:
    'Raise maxWaiters, or shed load before the lock: this many callers of one process wait for one lock.',
  NOT_LEADER: 'Ask the instance that leads, or try again when this one does.',
  LOST: 'Stop writing: another holder may be at work. What helps depends on the reason, which the message names.',
  RELEASED:
    'Await all work inside the scope of its lock, and consume there what it gives: what goes on after the release is not guarded.',
  MAX_HOLD: 'The hold outlived maxHold. Make the work shorter, or raise maxHold.',
  UNAVAILABLE: 'Check that Redis is up and can be reached; nothing was run unlocked.',
  NOT_REPLICATED:
    'The grant was undone. Look at the replicas and their lag; raise replication.timeout, or ask for fewer acks.',
  REJECTED_BY_REDIS:
    'Redis refused the command. Look at its message: permissions, memory and read-only replicas are the usual causes.',
  WRONG_TYPE: 'Something else lives at this key. Choose another lock name or namePrefix.',
  SHUTTING_DOWN:
    'The application is shutting down; a lock is granted only inside work that already holds one.',
  INVALID_OPTION: 'Correct the option; nothing was sent to Redis.',
  INVALID_NAME:
    'Give the lock a name of 1 to 1024 characters, without NUL or half a surrogate pair, that does not look like a key beside a lock: see docs/security.md.',
  NOT_BOUND:
    'Import DistributedLockModule.forRoot() in the root module, and let Nest create the instance; one of useFactory or useValue is served once the application has started.',
  NOT_ASYNC:
    'Return a promise or an Observable: taking a lock takes a round trip, and the lock is held until the work has ended.',
  INVALID_TARGET: 'Put the decorator on a method of a class that Nest manages.',
  DUPLICATE_JOB: 'Give each scheduled method a key of its own, or set shared: true on both.',
  UNKNOWN_JOB:
    'Check the key of the job, namePrefix and the database; a job is known from the first start of an instance that has it, and where its record was deleted from its next tick.',
  UNKNOWN_SCHEDULER: 'Use @nestjs/schedule 6 or 12, or a version of this library that knows yours.',
  UNBOUND_SCHEDULE:
    'Let the scheduler see the schedule on the method, or take the schedule, or the guard, off it.',
  UNCLEAR_CALL:
    'Put @DistributedLock above every decorator that delays or skips calls, so that a fire of the scheduler reaches the guard at once; or make the direct calls inside directCall(() => …).',
  KIND_CONFLICT:
    'Use one kind of lock for one name, or give the other lock another name: the kinds do not share their state in Redis.',
  NOT_REENTRANT:
    'Use a re-entrant kind where work may ask for its own lock, or pass the handle on instead of asking again.',
  UPGRADE:
    'Take the write lock first, and the read lock inside it; or end the read before asking to write, and read again.',
  STALE_TOKEN:
    'Write nothing: another holder has had the lock since. Take the lock again, and read again what the write is based on.',
  NOT_LOCKED: 'Call it inside using(), a decorated method or an intercepted handler of that lock.',
} as const;

/** The stable code of an error: what a program branches on. docs/reference.md says what each means. */
export type LockErrorCode = keyof typeof REMEDIES;
