import { expect } from 'vitest';
import type {
  LockHandle,
  LockOptions,
  UsingOptions,
} from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import {
  lockChannel,
  readWriteChannel,
  semaphoreChannel,
  suffixName,
} from '../../libs/distributed-lock/src/scripts/wire.names.js';
import type { KindStage } from '../kinds/kind.stage.js';
import type { KindWorker } from '../kinds/kind.worker.js';
import { machineTime } from '../kinds/machine.clock.js';
import { Stopwatch } from '../support/stopwatch.js';
import { until } from '../support/until.js';

/** How long a process that was notified of its turn may take to come, in ms. */
export const COMES_WITHIN = 30;

/** The kinds of lock whose processes wait in a queue in Redis. */
export const QUEUED = ['reentrant', 'fenced', 'write', 'permit', 'semaphore'] as const;
export type QueuedKind = (typeof QUEUED)[number];

/** What processes wait for. */
export interface Waitable {
  lock(options?: LockOptions): Promise<Pick<LockHandle, 'unlock'>>;
  using(work: () => Promise<void>, options?: UsingOptions): Promise<void>;
}

/** The lock "x" of a service, or its semaphore. */
export function lockOf(service: LockService | undefined, kind: QueuedKind): Waitable {
  if (service === undefined) throw new Error('no service');
  if (kind === 'semaphore') return permitOf(service);
  if (kind === 'write') return service.getReadWriteLock('x').writeLock();
  if (kind !== 'permit') return kind === 'fenced' ? service.getFencedLock('x') : service.getLock('x');
  const semaphore = service.getPermitExpirableSemaphore('x');
  return {
    lock: (options) => semaphore.acquire(options),
    using: (work, options) => semaphore.using(work, options),
  };
}

/** The one permit of the plain semaphore "x", which has no handle and no lease. */
function permitOf(service: LockService): Waitable {
  const semaphore = service.getSemaphore('x');
  return {
    lock: async (options) => {
      await semaphore.acquire(1, options);
      return { unlock: () => semaphore.release().then(() => 'released' as const) };
    },
    using: (work) => semaphore.using(work),
  };
}

/** Whether it is a semaphore, of which there is one permit. */
const isCounted = (kind: QueuedKind) => kind === 'permit' || kind === 'semaphore';

/** Makes what the processes wait for: a lock needs nothing, a semaphore its one permit. */
export async function prepare(stage: KindStage, kind: QueuedKind): Promise<void> {
  if (isCounted(kind)) await stage.faults.admin.set(stage.faults.key('x'), 1);
}

/** What an unknown client does, as Redisson's clients: it knows no queue. */
export interface Stranger {
  /** The channel of "x". */
  readonly channel: string;
  /** Takes it, unless it is taken. @returns whether it did */
  take(): Promise<boolean>;
  /** Releases it, and publishes that. */
  free(): Promise<unknown>;
}

export function strangerAt(stage: KindStage, kind: QueuedKind): Stranger {
  const { admin } = stage.faults;
  const key = stage.faults.key('x');
  if (isCounted(kind)) {
    const channel = semaphoreChannel(key);
    return {
      channel,
      take: async () => (await admin.eval(TAKE_PERMIT, 1, key)) === 1,
      free: () => admin.multi().incr(key).publish(channel, '1').exec(),
    };
  }
  const isWritten = kind === 'write';
  const channel = isWritten ? readWriteChannel(key) : lockChannel(key);
  const take = isWritten ? TAKE_WRITE_LOCK : TAKE_LOCK;
  return {
    channel,
    take: async () => (await admin.eval(take, 1, key, 'another:1')) === 1,
    free: () => admin.multi().del(key).publish(channel, '0').exec(),
  };
}

/** As Redisson takes a free lock, but for the lease. */
const TAKE_LOCK = `if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end return redis.call('HSET', KEYS[1], ARGV[1], 1)`;

/** As Redisson takes a free lock to write, but for the lease. */
const TAKE_WRITE_LOCK = `if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end redis.call('HSET', KEYS[1], 'mode', 'write', ARGV[1] .. ':write', 1) return 1`;

/** As Redisson takes a permit that never expires, but for its id. */
const TAKE_PERMIT = `if tonumber(redis.call('GET', KEYS[1])) < 1 then return 0 end redis.call('DECR', KEYS[1]) return 1`;

/** Processes that have a place in the queue of "x". */
export async function places(stage: KindStage, count: number): Promise<void> {
  const key = suffixName(stage.faults.key('x'), 'waiting');
  const read = () => stage.faults.admin.zcount(key, 1, '+inf');
  await until(`${count} processes have a place`, async () => (await read()) === count);
}

/** The places in the queue of "x", the first one first. */
export async function placesInOrder(stage: KindStage): Promise<string[]> {
  return await stage.faults.admin.zrangebyscore(suffixName(stage.faults.key('x'), 'waiting'), 1, '+inf');
}

/** Lets a service hold "x", and processes wait for it, one after the other. */
export async function queueUp(
  stage: KindStage,
  kind: QueuedKind,
  count: number,
): Promise<{
  readonly unlock: () => Promise<unknown>;
  readonly workers: readonly KindWorker[];
  readonly waiting: Waiting;
}> {
  await prepare(stage, kind);
  const service = await stage.faults.open();
  const held = await lockOf(service, kind).lock();
  const workers = await Promise.all(Array.from({ length: count }, () => stage.fork()));
  for (const [index, worker] of workers.entries()) {
    worker.take(index, kind, 'x');
    await places(stage, index + 1);
  }
  return { unlock: () => held.unlock(), workers, waiting: new Waiting(workers) };
}

/** Nothing is left of the lock but a fencing token, or of the semaphore but its permit, before its processes are killed. */
export async function settled(stage: KindStage): Promise<void> {
  const { admin, services } = stage.faults;
  const key = stage.faults.key('x');
  if ((await admin.type(key)) === 'string') {
    await until('the permit is there', async () => (await admin.get(key)) === '1');
    await admin.del(key);
  }
  await until('nothing is left', async () => (await services.keys()).every(isToken));
  await until('no channel is left', async () => (await services.channels()).length === 0);
}

const isToken = (key: string) => key.startsWith('redisson_lock_token:');

/** A moment: in µs of the machine's clock, and what this process is late by from then on. */
export interface Begun {
  readonly at: number;
  readonly watch: Stopwatch;
}

export function begin(): Begun {
  return { at: machineTime(), watch: new Stopwatch() };
}

/** When a process was granted what it waited for, in ms since `begun`, without what that process and this one were late by themselves. */
export function waitedSince({ at, watch }: Begun, grant: ReturnType<KindWorker['grant']>): number {
  return ((grant?.at ?? Infinity) - at) / 1000 - (grant?.late ?? 0) - watch.late;
}

/** A grant to one of the processes that wait. Times in ms. */
export interface Turn {
  readonly index: number;
  /** Of those that waited, it was the first in the queue. */
  readonly isFirst: boolean;
  /** Since the lock was free. */
  readonly elapsed: number;
  /** The same, without what that process and this one were late by themselves. */
  readonly waited: number;
}

/** Processes that wait for "x" and hold it until they release it, each under its index in the queue. */
export class Waiting {
  readonly #indexes: Set<number>;

  constructor(private readonly workers: readonly KindWorker[]) {
    this.#indexes = new Set(workers.keys());
  }

  async kill(index: number): Promise<void> {
    this.#indexes.delete(index);
    await this.workers[index]?.kill();
  }

  /** Waits until one of them has the lock, and no other one. @param begun when the lock was free */
  async next(begun: Begun): Promise<Turn> {
    const first = Math.min(...this.#indexes);
    const granted = () => [...this.#indexes].filter((index) => this.workers[index]?.grant(index));
    await until('one of them has the lock', () => granted().length > 0, 8000);
    const [index = -1, ...more] = granted();
    expectNone(more);
    const grant = this.workers[index]?.grant(index);
    this.#indexes.delete(index);
    const elapsed = ((grant?.at ?? Infinity) - begun.at) / 1000;
    return { index, isFirst: index === first, elapsed, waited: waitedSince(begun, grant) };
  }

  release({ index }: Turn): Begun {
    const begun = begin();
    this.workers[index]?.unlock(index);
    return begun;
  }

  /** Each of them has the lock, and releases it. @returns how many they were */
  async rest(begun: Begun): Promise<number> {
    const { size } = this.#indexes;
    for (let free = begun; this.#indexes.size > 0;) {
      const turn = await this.next(free);
      expectInOrder(turn);
      free = this.release(turn);
    }
    return size;
  }
}

function expectNone(more: readonly number[]): void {
  expect(more).toEqual([]);
}

/** The first process in the queue has its turn. One that does not come in time, as a busy machine may let it, is passed over. */
export function expectInOrder({ isFirst, elapsed }: Turn): void {
  if (!isFirst) expect(elapsed).toBeGreaterThanOrEqual(COMES_WITHIN);
}
