import { brandClass } from '../objects/class.brand.js';
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
import type { Fleet } from '../contracts/fleet.contract.js';
import type { JobControl, RunsOptions } from '../contracts/job.contract.js';
import { showAs } from '../objects/object.form.js';
import type { TickRecord } from '../contracts/tick.contract.js';
import type { LockSettings } from '../contracts/settings.js';
import type { LockEngine } from '../locks/lock.engine.js';
import type { LockEvents } from '../events/lock.events.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { FleetReader } from './fleet.reader.js';
import { CountingSemaphore } from '../counters/semaphore.js';
import { NamedLatch } from '../counters/latch.js';
import type { LockKinds } from '../core/lock.kinds.js';
import { MultiLock } from '../groups/multi.lock.js';
import type { RedLocks } from '../groups/red.lock.js';
import { ExpirableSemaphore } from '../locks/expirable.semaphore.js';
import { NamedLock, withToken } from '../locks/named.lock.js';
import type { TickRunner } from '../ticks/tick.runner.js';
import { ElectionRegistry } from '../elections/election.registry.js';
import { checkKind, checkUsingOptions, readNames } from './choice.checks.js';
import type { ServiceParts } from './service.parts.js';
import { ServiceShutdown } from './service.shutdown.js';

/** The locks of one module instance. Inject it, or use the decorators. */
export class LockService {
  static {
    brandClass(this, 'LockService');
    serviceClasses().add(this);
    showAs(LockService, ({ settings }) => ({ type: 'LockService', appName: settings.appName }));
  }

  // Private to the language: a logger that walks through an object that has a service must find nothing in it.
  readonly #parts: ServiceParts;
  readonly #elections: ElectionRegistry;
  readonly #fleet: FleetReader;
  readonly #shutdown: ServiceShutdown;

  /** @hidden The module makes it. */
  constructor(parts: ServiceParts) {
    const { engine, ticks, red, disconnect } = parts;
    this.#parts = parts;
    const elections = (this.#elections = new ElectionRegistry(engine));
    const fleet = (this.#fleet = new FleetReader(parts, elections));
    const refuseTicks = () => ticks.refuse();
    this.#shutdown = new ServiceShutdown({ engine, red, elections, fleet, refuseTicks, disconnect });
  }

  /** @internal For decorators, interceptors and the scheduler. */
  get engine(): LockEngine {
    return this.#parts.engine;
  }

  /** @internal */
  get ticks(): TickRunner {
    return this.#parts.ticks;
  }

  /** @internal */
  get red(): RedLocks | undefined {
    return this.#parts.red;
  }

  /** @internal */
  get elections(): ElectionRegistry {
    return this.#elections;
  }

  /** @internal The options as they are in force. */
  get settings(): LockSettings {
    return this.engine.context.settings;
  }

  /** The events of this module instance: see {@link LockEvents.listen}. */
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

  /** @internal Calls `end` when the last lock has ended, whichever hook of Nest comes first; waits for `last` before that, while there is time. */
  onceEnded(end: () => void, last?: () => Promise<void>): void {
    this.#shutdown.onceEnded(end, last);
  }

  /**
   * The re-entrant lock of that name.
   * @throws LockConfigurationError `INVALID_NAME` if the name is empty, is longer than 1024 characters, is reserved
   * for an internal key, or contains NUL or a lone surrogate. The same holds for the key that `nameMapper` makes of
   * it. In a cluster, a name with unpaired or empty braces is an `INVALID_NAME` as well: `x}y`, `a{b`, `a{}b`.
   * `KIND_CONFLICT` if another kind has the name
   */
  getLock(name: string): Lock {
    return this.#named('reentrant', name);
  }

  /**
   * A lock that is not re-entrant: a second acquisition in a scope that holds the lock rejects with
   * `NOT_REENTRANT`.
   * @throws LockConfigurationError as {@link getLock}
   */
  getNonReentrantLock(name: string): Lock {
    return this.#named('nonReentrant', name);
  }

  /**
   * A re-entrant lock that is granted in the order of the requests in the whole fleet, including Redisson's
   * clients.
   * @throws LockConfigurationError as {@link getLock}
   */
  getFairLock(name: string): Lock {
    return this.#named('fair', name);
  }

  /** A fair lock that is not re-entrant. @throws LockConfigurationError as {@link getLock} */
  getNonReentrantFairLock(name: string): Lock {
    return this.#named('nonReentrantFair', name);
  }

  /**
   * A re-entrant lock with a fencing token for each grant, higher than all earlier tokens of the lock.
   * @throws LockConfigurationError as {@link getLock}
   */
  getFencedLock(name: string): FencedLock {
    return new NamedLock(this.#parts.engine, this.#parts.engine.target('fenced', name), withToken);
  }

  /** A re-entrant lock without pub/sub: its waiters poll (1 to 128 ms). @throws LockConfigurationError as {@link getLock} */
  getSpinLock(name: string): Lock {
    return this.#named('spin', name);
  }

  /**
   * A lock that readers share and that a writer holds alone. Both sides are re-entrant, and a writer may read.
   * @throws LockConfigurationError as {@link getLock}
   */
  getReadWriteLock(name: string): ReadWriteLock {
    const [readLock, writeLock] = [this.#named('read', name), this.#named('write', name)];
    return { name, readLock: () => readLock, writeLock: () => writeLock };
  }

  /**
   * Several locks that are held as one. They are acquired in a fixed order, so that callers with the same locks
   * cannot deadlock; a waiting caller may already hold some of them. If all are free, this takes one round
   * trip. A name stands for the re-entrant lock of that name; for another kind, pass the lock object.
   * @throws LockConfigurationError `INVALID_OPTION` if there are no members, if a lock belongs to another
   * service, or if both sides of one read/write lock are given; for names as {@link getLock}
   */
  getMultiLock(...members: readonly (string | Lock)[]): Lockable {
    return MultiLock.of(this.#parts.engine, members);
  }

  /**
   * Runs `work` under the lock of that name and kind, or under several locks as one: `locks.using(['a', 'b'],
   * work)`. Behaves like the `using()` of the lock itself. For a typed fencing token use {@link
   * getFencedLock}.
   * @param key a name, or an array of names
   * @param options as for the `using()` of a lock, and `kind` (default `'reentrant'`)
   * @throws LockConfigurationError `INVALID_NAME`, `INVALID_OPTION`, or `KIND_CONFLICT` for a name in use
   * with another kind; further errors as `Lockable.using`
   */
  async using<T>(
    key: LockNames,
    work: (handle: LockHandle) => WorkResult<T>,
    options?: UsingOptions & { readonly kind?: GuardKind | undefined },
  ): Promise<T> {
    const names = readNames(key, 'using() was given');
    if (options === undefined) return await this.lockOf(names).using(work);
    const name = [names].flat().join(', ');
    checkUsingOptions(name, options);
    const { kind, ...others } = options;
    checkKind(kind, `kind of using() for "${name}"`);
    return await this.lockOf(names, kind).using(work, others);
  }

  /**
   * A re-entrant lock that is held on the majority of the servers in the option `redLock`. The lock survives the loss
   * of a minority of them.
   * @throws LockConfigurationError `INVALID_OPTION` without the option `redLock`; others as {@link getLock}
   */
  getRedLock(name: string): Lockable {
    if (this.red !== undefined) return this.red.lock(name);
    const missing = 'getRedLock() needs the option redLock.servers.';
    throw new LockConfigurationError('INVALID_OPTION', missing, name);
  }

  /**
   * A semaphore of the whole fleet. The permits of a process that dies are lost; use
   * {@link getPermitExpirableSemaphore} if they must come back.
   * @throws LockConfigurationError as {@link getLock}
   */
  getSemaphore(name: string): Semaphore {
    return new CountingSemaphore(this.engine.counters, name);
  }

  /** A semaphore with a lease for each permit, which the watchdog renews. @throws LockConfigurationError as {@link getLock} */
  getPermitExpirableSemaphore(name: string): PermitExpirableSemaphore {
    return new ExpirableSemaphore(this.#parts.engine, this.#parts.engine.target('permit', name));
  }

  /**
   * A latch that opens when its count reaches 0.
   * @throws LockConfigurationError as {@link getLock}; in a cluster also for a name with `{`
   */
  getCountDownLatch(name: string): CountDownLatch {
    return new NamedLatch(this.engine.counters, name);
  }

  /**
   * Starts a candidate for the leadership of `key`: one candidate of the whole fleet leads at a time. The
   * election uses the fenced lock `key`: `getFencedLock(key)` returns that lock, to read its state, or to
   * remove the current leader with `forceUnlock()`. At a shutdown of the application, its candidates leave the
   * election. From then on, `elect()` returns candidates that never lead. See docs/leader-election.md.
   * @throws LockConfigurationError `INVALID_NAME`, `INVALID_OPTION`, or `KIND_CONFLICT` for a name in use with
   * another kind
   */
  elect(key: string, callbacks: ElectionCallbacks = {}): Election {
    return this.elections.open(key, callbacks);
  }

  /** @internal What a guard takes: the lock of that kind, or for several names a multi lock of them. */
  lockOf(names: LockNames, kind: GuardKind = 'reentrant'): Lockable {
    if (typeof names === 'string')
      return kind === 'fenced' ? this.getFencedLock(names) : this.#named(kind, names);
    const targets = names.map((name) => this.#parts.engine.target(kind, name));
    return new MultiLock(this.#parts.engine, targets);
  }

  /**
   * Runs `work` at most once in the fleet for each `instant` of `job`. For a scheduler of your own that calls plain
   * functions. The instants must rise: `work` does not run for an instant at or before the last one. No run is
   * repeated after a crash or shutdown. Inside `work`, `currentLock()` has the signal of the run; `maxHold` is 1 h by
   * default.
   * @param instant epoch ms, or a Date
   * @returns the result of the work, or `undefined` if the instant was already claimed, the lock of the job is
   * held, the job is paused, or the application is shutting down
   * @throws LockConfigurationError `INVALID_OPTION` for an instant that is not a Date or whole epoch ms; `NOT_ASYNC`
   * as `Lockable.using`; `INVALID_NAME` and `KIND_CONFLICT` for the name of the job, as {@link getLock}
   * @throws LockUnavailableError if Redis refuses the claim, or does not answer within 5 s; `work` was not run
   */
  runOnce<T>(job: string, instant: number | Date, work: () => WorkResult<T>): Promise<T | undefined> {
    return this.ticks.runInstant(job, Number(instant), work);
  }

  /** Controls the scheduled jobs of the whole fleet. */
  get jobs(): JobControl {
    return this.ticks.jobs;
  }

  /**
   * The newest records of a job, newest first: its runs, and the ticks that did not run, with the reason. Redis keeps
   * 50 of them, or as many as the option `history` of the job says. Empty for a job without records.
   * @throws LockUnavailableError
   * @throws LockConfigurationError as {@link getLock}; `INVALID_OPTION` for an invalid `limit`
   */
  getRuns(job: string, options: RunsOptions = {}): Promise<TickRecord[]> {
    return this.ticks.jobs.records(job, options);
  }

  /** @internal For the dashboard, which knows locks by their keys, and for ticks. */
  get fleetReader(): FleetReader {
    return this.#fleet;
  }

  /** The instances of all applications with the same `namePrefix`, and their locks. */
  get fleet(): Fleet {
    return this.#fleet;
  }

  /** A lock object holds no state: two of one name are the same lock. */
  #named(kind: keyof LockKinds, name: string): Lock {
    return new NamedLock(this.#parts.engine, this.#parts.engine.target(kind, name), (granted) => granted);
  }
}
