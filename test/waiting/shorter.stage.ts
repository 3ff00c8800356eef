import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { LockModuleSettings } from '../../libs/distributed-lock/src/contracts/module.options.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { suffixName } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { inject } from 'vitest';
import { Services } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { StoreView } from '../support/store.view.js';
import { until } from '../support/until.js';

/** The lease that stays after the lock was made shorter, in ms. */
export const SHORT = scaled(600);

/** How long a lock may be free while a live instance waits for it, in ms. */
export const BOUND = scaled(100);

/** Of what is held, and waited for. */
export const NAME = 'x';

/** Services like those of two processes: `one` holds, and `other` waits. */
export interface Scene {
  readonly one: LockService;
  readonly other: LockService;
  readonly admin: Redis;
  readonly name: string;
  /** Of the lock in Redis. */
  readonly key: string;
}

/** How a lock becomes free earlier than its waiters were told. */
export interface Way {
  readonly what: string;
  /** The scripts that make the lease shorter, or end it. */
  readonly scripts: readonly string[];
  readonly options?: LockModuleSettings;
  /** What is left of the lease afterwards, in ms. @default SHORT */
  readonly left?: number;
  /** Takes the lock for long. @returns what makes the lease shorter; whoever holds does nothing more */
  hold(scene: Scene): Promise<() => Promise<unknown>>;
  /** Waits on the other service; resolves when it has the lock. */
  wait(scene: Scene, signal: AbortSignal): Promise<unknown>;
  /** @default the key of the lock does not exist */
  isFree?(scene: Scene): Promise<boolean>;
}

/** How long the lock stood free, and how long the waiter waited after the lease had become shorter, in ms; without the longest stall of the machine. */
export interface Measured {
  readonly free: number;
  readonly waited: number;
}

/** Plays one way on services of its own, and measures what came of it. */
export async function play(way: Way): Promise<Measured> {
  const url = inject('redisUrl');
  const store = StoreView.at(url);
  const services = new Services(url, { store });
  const leaving = new AbortController();
  try {
    const [one, other] = [await services.open(way.options), await services.open(way.options)];
    const scene: Scene = { one, other, admin: services.admin, name: NAME, key: one.settings.mapName(NAME) };
    const shorten = await way.hold(scene);
    const granted = way.wait(scene, leaving.signal);
    granted.catch(() => undefined);
    await asleep(services, other);
    await shorten();
    return await measure(scene, way, granted);
  } finally {
    leaving.abort(new Error('the test is over'));
    await services.close();
    await store.delete(await services.keys());
    store.close();
  }
}

/** The waiter listens, and was told what is left: it asks once more when it listens. */
async function asleep(services: Services, other: LockService): Promise<void> {
  const { subscriptions } = other.engine.context;
  const isPolling = other.engine.localLocks.values().some(({ target }) => !target.kind.publishesRelease);
  if (!isPolling) await until('the waiter listens', () => subscriptions.size > 0);
  await until('the waiter is subscribed', async () => isPolling || (await services.channels()).length > 0);
  for (let trip = 0; trip < 10; trip += 1) await other.getLock('elsewhere').isLocked();
}

/**
 * Checks every few ms whether the lock is free, until the waiter has it, or it is late by far. Where a check is late, the machine is: the waiter
 * is in the same process, and asks the same Redis.
 */
export async function measure(
  scene: Scene,
  { isFree = isAbsent, left = SHORT }: Pick<Way, 'isFree' | 'left'>,
  granted: Promise<unknown>,
): Promise<Measured> {
  const begun = performance.now();
  const end = begun + left + 10 * BOUND;
  const seen = { freeSince: Infinity, grantedAt: Infinity };
  granted.then(
    () => (seen.grantedAt = performance.now()),
    () => undefined,
  );
  let [checked, longest] = [begun, 0];
  while (seen.grantedAt === Infinity && checked < end) {
    if (await isFree(scene)) seen.freeSince = Math.min(seen.freeSince, checked);
    await sleep(3);
    const at = performance.now();
    longest = Math.max(longest, at - checked);
    checked = at;
  }
  const at = Math.min(seen.grantedAt, checked) - longest;
  return { free: Math.max(0, at - seen.freeSince), waited: at - begun };
}

async function isAbsent({ admin, key }: Scene): Promise<boolean> {
  return (await admin.exists(key)) === 0;
}

/** A permit is available, or its lease is over. */
export async function hasPermit({ admin, key }: Scene): Promise<boolean> {
  const [seconds, micros] = await admin.time();
  const now = Number(seconds) * 1000 + Number(micros) / 1000;
  const over = await admin.zcount(suffixName(key, 'timeout'), '-inf', Math.floor(now));
  return Number(await admin.get(key)) > 0 || over > 0;
}
