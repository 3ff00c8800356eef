import type {
  FindLocksOptions,
  Fleet,
  FoundLock,
  LockInstance,
  LockPage,
} from '../contracts/fleet.contract.js';
import { showAs } from '../objects/object.form.js';
import type { ServerSession } from '../connections/server.session.js';
import type { LockContext } from '../core/lock.context.js';
import { checkKey, checkName } from '../core/name.checks.js';
import { shuttingDown, unavailable } from '../core/unavailable.errors.js';
import type { ElectionRegistry } from '../elections/election.registry.js';
import { InstanceRegistry } from '../instances/instance.registry.js';
import { findPage, isPlace } from '../lock-list/lock.scan.js';
import { foundLock, isListed } from '../lock-list/found.lock.js';
import { readLock } from '../lock-list/single.lock.reader.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { checkOptionNames, invalidOption, optionNames } from '../options/option.checks.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { now } from '../timing/monotonic.clock.js';
import type { Timer } from '../timing/timer.wheel.js';
import { factsOf } from './process.inventory.js';
import type { ServiceParts } from './service.parts.js';

const OPTIONS = optionNames<FindLocksOptions>({ prefix: true, limit: true, from: true });

/** The connection is closed when it was not used for so long, in ms. */
const IDLE = 10_000;

/** How old the instances may be with which locks are shown, in ms. */
const FRESH = 500;

/** A connection is not used any more after this time, in ms. */
const LONGEST = 60_000;

/** The most locks after which a page ends. */
const MOST = 1000;

/** Reads what there is in Redis beside the locks of this process. */
export class FleetReader implements Fleet {
  static {
    showAs(FleetReader, () => ({ type: 'Fleet' }));
  }

  // Private to the language: a logger that walks through this object must find nothing in it.
  readonly #context: Pick<LockContext, 'outside' | 'settings' | 'wheel'>;
  readonly #registry: InstanceRegistry;
  readonly #open: () => Promise<ServerSession>;
  readonly #timer: Timer;
  #session: Promise<ServerSession> | undefined;
  #openedAt = 0;
  /** Shared by calls at nearly the same time. */
  #instances: Promise<LockInstance[]> | undefined;
  #readAt = -Infinity;
  #calls = 0;
  #isClosed = false;

  constructor(parts: ServiceParts, elections: ElectionRegistry) {
    const { context } = parts.engine;
    this.#context = context;
    this.#registry = new InstanceRegistry(context, parts.instances, () => ({
      ...factsOf(parts),
      elections: elections.own,
    }));
    // A connection beside those of the locks: a scan never delays a lock.
    this.#open = parts.openSession;
    this.#timer = context.wheel.background(() => context.outside(() => void this.#hangUp()));
  }

  /** Whether other instances have reported themselves lately. */
  get hasOthers(): boolean {
    return this.#registry.hasOthers;
  }

  instances(): Promise<LockInstance[]> {
    return this.#registry.instances();
  }

  async locks(options: FindLocksOptions = {}): Promise<LockPage> {
    const { prefix, limit, from } = readOptions(options);
    if (this.#isClosed) throw shuttingDown('fleet.locks()');
    const { namePrefix } = this.#context.settings;
    const query = { begins: namePrefix + prefix, prefixLength: namePrefix.length };
    const [page, instances] = await Promise.all([
      this.#call('fleet.locks()', (session) => findPage(session, query, limit, from)),
      this.#known(),
    ]);
    const locks = page.locks.map((view) => foundLock(view, instances));
    return { locks: locks.toSorted(byName), next: page.next };
  }

  async lock(name: string): Promise<FoundLock | undefined> {
    checkName(name);
    const key = this.#context.settings.mapName(name);
    checkKey(name, key);
    return await this.#read(name, key);
  }

  /** The lock at a key of this `namePrefix`. @throws LockConfigurationError `INVALID_NAME` @throws LockUnavailableError */
  async at(key: string): Promise<FoundLock | undefined> {
    const { namePrefix } = this.#context.settings;
    const name = key.slice(namePrefix.length);
    checkName(name);
    checkKey(name, key);
    if (!key.startsWith(namePrefix))
      throw new LockConfigurationError(
        'INVALID_NAME',
        `The key "${key}" does not begin with "${namePrefix}".`,
        key,
      );
    return await this.#read(name, key);
  }

  async #read(name: string, key: string): Promise<FoundLock | undefined> {
    if (this.#isClosed) throw shuttingDown(name);
    const [view, instances] = await Promise.all([
      this.#call(name, (session) => readLock(session, key, name)),
      this.#known(),
    ]);
    return isListed(view) ? foundLock(view, instances) : undefined;
  }

  /** Forgets this instance, and closes the connection. Never rejects. */
  async end(): Promise<void> {
    this.#isClosed = true;
    this.#context.wheel.cancel(this.#timer);
    await Promise.all([this.#registry.end(), this.#hangUp()]);
  }

  /** @throws LockUnavailableError */
  async #call<T>(name: string, work: (session: ServerSession) => Promise<T>): Promise<T> {
    this.#calls += 1;
    this.#context.wheel.cancel(this.#timer);
    const session = (this.#session ??= this.#openNew());
    let isOpen = false;
    try {
      const opened = await session;
      isOpen = true;
      return await work(opened);
    } catch (error) {
      const { kind, code } = RedisFailure.from(error);
      // The next call makes another connection, unless a call has made it by now. A server that refuses is not helped by one, but for a cluster
      // whose slots have moved.
      const isOfNoUse = !isOpen || kind !== 'refused' || code === 'MOVED';
      if (this.#session === session && isOfNoUse) void this.#hangUp();
      throw unavailable(name, error);
    } finally {
      this.#calls -= 1;
      if (this.#calls === 0 && !this.#isClosed) this.#rest();
    }
  }

  /** None where Redis refuses to read them: the locks do not depend on them. */
  async #known(): Promise<LockInstance[]> {
    if (this.#instances === undefined || now() - this.#readAt > FRESH) {
      this.#readAt = now();
      this.#instances = this.#registry.instances().catch(() => []);
    }
    return await this.#instances;
  }

  /** Closed soon, or at once where it is old: the masters of a cluster are those of its beginning. */
  #rest(): void {
    if (now() - this.#openedAt > LONGEST) void this.#hangUp();
    else this.#context.wheel.set(this.#timer, now() + IDLE);
  }

  #openNew(): Promise<ServerSession> {
    this.#openedAt = now();
    return this.#context.outside(() => this.#open());
  }

  async #hangUp(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    try {
      await (await session)?.close();
    } catch {
      // It was never open.
    }
  }
}

interface Wanted {
  readonly prefix: string;
  readonly limit: number;
  readonly from: string | undefined;
}

/** @throws LockConfigurationError `INVALID_OPTION` */
function readOptions(options: FindLocksOptions): Wanted {
  const where = 'of fleet.locks()';
  checkOptionNames(options, OPTIONS, where);
  const { prefix = '', limit = 100, from } = options;
  const given: Readonly<Record<string, unknown>> = { prefix, limit, from };
  if (typeof given.prefix !== 'string')
    throw invalidOption(`prefix ${where} must be a string, not ${String(prefix)}.`);
  if (!Number.isInteger(given.limit) || limit < 1 || limit > MOST)
    throw invalidOption(
      `limit ${where} must be a whole number from 1 to ${MOST}, not ${String(given.limit)}.`,
    );
  if (given.from !== undefined && (typeof given.from !== 'string' || !isPlace(given.from)))
    throw invalidOption(`from ${where} must be the value next of a page.`);
  return { prefix, limit, from };
}

function byName(one: FoundLock, other: FoundLock): number {
  return one.name < other.name ? -1 : one.name > other.name ? 1 : 0;
}
