import { brandClass } from '../contracts/class.brand.js';
import { serviceClasses } from '../contracts/service.classes.js';
import type { GuardKind, LockNames } from '../contracts/guard.contract.js';
import type {
  FencedLock,
  Lock,
  Lockable,
  LockHandle,
  ReadWriteLock,
  UsingOptions,
  WorkResult,
} from '../contracts/lock.contract.js';
import type { Election, ElectionCallbacks } from '../contracts/election.contract.js';
import type { CountDownLatch } from '../contracts/latch.contract.js';
import type { PermitExpirableSemaphore, Semaphore } from '../contracts/semaphore.contract.js';
import type { JobControl } from '../contracts/job.contract.js';
import { showAs } from '../contracts/object.form.js';
import type { TickRecord } from '../contracts/tick.contract.js';
import type { LockSettings } from '../contracts/settings.js';
import type { LockEngine } from '../locks/lock.engine.js';
import type { LockEvents } from '../events/lock.events.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { CountingSemaphore } from '../counters/semaphore.js';
import { NamedLatch } from '../counters/latch.js';
import type { RedLocks } from '../groups/red.lock.js';
import type { TickRunner } from '../ticks/tick.runner.js';
import { checkCallOptions } from '../options/call.options.js';
import { ElectionRegistry } from '../elections/election.registry.js';
import { checkKind, readNames } from './lock.choice.js';
import { LockMaker } from './lock.maker.js';
import { ServiceShutdown } from './service.shutdown.js';

/** The locks of one module instance. Inject it, or let the decorators find it. */
export class LockService {
  static {
    brandClass(this, 'LockService');
    serviceClasses().add(this);
    showAs(LockService, ({ settings }) => ({ type: 'LockService', appName: settings.appName }));
  }

  readonly #make: LockMaker;
  readonly #shutdown: ServiceShutdown;
  readonly #endings: (() => void)[] = [];
  // Private to the language: a logger that walks through an object that has a service must find nothing in it.
  readonly #engine: LockEngine;
  readonly #ticks: TickRunner;
  readonly #red: RedLocks | undefined;
  readonly #elections: ElectionRegistry;

  /** @hidden The module makes it. */
  constructor(
    engine: LockEngine,
    ticks: TickRunner,
    red: RedLocks | undefined,
    disconnect: () => Promise<void>,
  ) {
    this.#engine = engine;
    this.#ticks = ticks;
    this.#red = red;
    this.#make = new LockMaker(engine);
    this.#elections = new ElectionRegistry(engine);
    this.#shutdown = new ServiceShutdown({
      engine,
      red,
      elections: this.#elections,
      refuseTicks: () => ticks.refuse(),
      disconnect: async () => {
        for (const end of this.#endings.splice(0)) end();
        await disconnect();
      },
    });
  }

  /** @internal What the doors reach through. */
  get engine(): LockEngine {
    return this.#engine;
  }

  /** @internal */
  get ticks(): TickRunner {
    return this.#ticks;
  }

  /** @internal */
  get red(): RedLocks | undefined {
    return this.#red;
  }

  /** @internal */
  get elections(): ElectionRegistry {
    return this.#elections;
  }

  /** @internal The options as they are in force. */
  get settings(): LockSettings {
    return this.engine.context.settings;
  }

  /** Tells what happens to the locks of this module instance: see {@link LockEvents.listen}. */
  get events(): LockEvents {
    return this.engine.context.notices.events;
  }

  /** @internal The server still drains its requests: locks are granted and renewed, but no new tick is begun. */
  refuseTicks(): void {
    this.ticks.refuse();
  }

  /** @internal The application begins to shut down: `shutdownTimeout` counts from now on. */
  beginShutdown(): void {
    this.#shutdown.begin();
  }

  /** @internal Waits for work up to `shutdownTimeout`, then aborts it; frees what is still held; closes our own connections. */
  shutDown(): Promise<void> {
    return this.#shutdown.end();
  }

  /** @internal Whoever watches the locks does so until their last one has ended, whichever hook of Nest comes first. */
  onceEnded(end: () => void): void {
    this.#endings.push(end);
  }

  /**
   * The re-entrant lock of that name.
   * @throws LockConfigurationError `INVALID_NAME` for an empty name, one above 1024 characters, one with NUL, or one that could be taken for a key beside a lock
   */
  getLock(name: string): Lock {
    return this.#make.named('reentrant', name);
  }

  /** A lock that is not re-entrant: a scope that holds it and asks again is told so, with `NOT_REENTRANT`. Throws like {@link getLock}. */
  getNonReentrantLock(name: string): Lock {
    return this.#make.named('nonReentrant', name);
  }

  /** A re-entrant lock that is granted in the order in which the fleet asked, Redisson's clients included. Throws like {@link getLock}. */
  getFairLock(name: string): Lock {
    return this.#make.named('fair', name);
  }

  /** A fair lock that is not re-entrant. Throws like {@link getLock}. */
  getNonReentrantFairLock(name: string): Lock {
    return this.#make.named('nonReentrantFair', name);
  }

  /** A re-entrant lock whose every grant comes with a fencing token that is higher than all before. Throws like {@link getLock}. */
  getFencedLock(name: string): FencedLock {
    return this.#make.fenced(name);
  }

  /** A re-entrant lock for a Redis in which pub/sub is forbidden: its waiters ask again and again. Throws like {@link getLock}. */
  getSpinLock(name: string): Lock {
    return this.#make.named('spin', name);
  }

  /** Readers share, a writer excludes everybody; both sides are re-entrant, and a writer may read. Throws like {@link getLock}. */
  getReadWriteLock(name: string): ReadWriteLock {
    const [readLock, writeLock] = [this.#make.named('read', name), this.#make.named('write', name)];
    return { name, readLock: () => readLock, writeLock: () => writeLock };
  }

  /**
   * Several locks as one, in any order: two callers that name the same locks cannot wait for each other. Takes what is free
   * in one round trip. Names are re-entrant locks; locks of other kinds are given as such.
   * @throws LockConfigurationError `INVALID_OPTION` for none at all, for locks of another service, and for both sides of one read/write lock
   */
  getMultiLock(...members: readonly (string | Lock)[]): Lockable {
    return this.#make.multi(members);
  }

  /**
   * Runs `work` under the lock of that name and kind, or under several as one: `locks.using(['a', 'b'], work)`. Waits, scopes,
   * releases and rejects as the lock's own `using` does; for a typed fencing token use {@link getFencedLock}.
   * @param key a name, or an array of names
   * @throws LockConfigurationError `INVALID_NAME`, `INVALID_OPTION`, or `KIND_CONFLICT` for a name in use with another kind
   */
  async using<T>(
    key: LockNames,
    work: (handle: LockHandle) => WorkResult<T>,
    options?: UsingOptions & { readonly kind?: GuardKind | undefined },
  ): Promise<T> {
    const names = readNames(key, 'using() was given');
    if (options === undefined) return await this.lockOf(names).using(work);
    const name = [names].flat().join(', ');
    checkCallOptions('kindUsing', name, options);
    const { kind, ...others } = options;
    checkKind(kind, `kind of using() for "${name}"`);
    return await this.lockOf(names, kind).using(work, others);
  }

  /**
   * A lock on the majority of the servers of the option `redLock`: it outlives the loss of a minority of them. Throws like
   * {@link getLock}.
   * @throws LockConfigurationError `INVALID_OPTION` without that option
   */
  getRedLock(name: string): Lockable {
    if (this.red !== undefined) return this.red.lock(name);
    const missing = 'getRedLock() needs the option redLock.servers.';
    throw new LockConfigurationError('INVALID_OPTION', missing, name);
  }

  /** Permits that the fleet shares. {@link getPermitExpirableSemaphore}: those of a process that dies come back. Throws like {@link getLock}. */
  getSemaphore(name: string): Semaphore {
    return new CountingSemaphore(this.engine.counters, name);
  }

  /** A semaphore whose permits have a lease each, renewed by the watchdog like a lock's. Throws like {@link getLock}. */
  getPermitExpirableSemaphore(name: string): PermitExpirableSemaphore {
    return this.#make.permits(name);
  }

  /** A latch that opens when something has been done a number of times. Throws like {@link getLock}. */
  getCountDownLatch(name: string): CountDownLatch {
    return new NamedLatch(this.engine.counters, name);
  }

  /**
   * Stands for the leadership of `key` from now on: of all candidates of the fleet one leads at a time. The lock is the fenced lock of
   * that name: {@link getFencedLock} looks at it, and its `forceUnlock()` deposes whoever leads. See docs/leader-election.md.
   * @throws LockConfigurationError `INVALID_NAME`, `INVALID_OPTION`, or `KIND_CONFLICT` for a name in use with another kind
   */
  elect(key: string, callbacks: ElectionCallbacks = {}): Election {
    return this.elections.open(key, callbacks);
  }

  /** @internal What a guard takes: the lock of that kind, or for several names a multi lock of them. */
  lockOf(names: LockNames, kind: GuardKind = 'reentrant'): Lockable {
    return this.#make.guard(names, kind);
  }

  /**
   * Runs `work` once in the fleet for `instant` of `job`: for schedules that are not decorated methods.
   * Instants of a job must rise; one at or below the last is not run.
   * @param instant epoch ms, or a Date
   * @returns the work's result, or undefined when the instant was taken or the job's lock is held
   */
  runOnce<T>(job: string, instant: number | Date, work: () => WorkResult<T>): Promise<T | undefined> {
    return this.ticks.runInstant(job, Number(instant), work);
  }

  /** The scheduled jobs of the whole fleet, for operators. */
  get jobs(): JobControl {
    return this.ticks.jobs;
  }

  /** The newest 50 rows of a job's record, newest first: its runs, and the ticks that were not run, with the reason. */
  getRuns(job: string): Promise<TickRecord[]> {
    return this.ticks.jobs.records(job);
  }
}
