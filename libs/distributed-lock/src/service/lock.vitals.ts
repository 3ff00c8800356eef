import { majorityOf } from '../groups/quorum.tally.js';
import { LockTarget } from '../core/lock.target.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { AcquireReply } from '../replies/lock.replies.js';
import { promised } from '../replies/reply.callback.js';
import { now } from '../timing/monotonic.clock.js';
import { takeInventory } from './process.inventory.js';
import type { LockService } from './lock.service.js';

/** The name of a job that is never run: its record is read, and never written. With an id of its own, a process takes the lock of that name. */
const PROBE = 'nestjs-distributed-lock health probe';

/** The lease of that lock, in ms: it ends by itself if its release is lost. */
const PROBE_LEASE = 1000;

/** The health of a module instance. Durations in ms. */
export interface LockVitals {
  /** To Redis and back; undefined when there was no answer in time. */
  readonly roundTrip: number | undefined;
  /** The reason why there was no answer. */
  readonly trouble: string | undefined;
  /** Why Redis grants no lock although it answers: it is full, read-only, or refuses the user. Undefined where it grants one. */
  readonly refusal: string | undefined;
  /** Whether Redis confirms the subscriptions: without that, waiters poll now and then. */
  readonly isListening: boolean;
  /** How late the watchdog is with the lease that is most overdue; 0 when it is in time. */
  readonly watchdogLate: number;
  /** Leases whose last renewal Redis has not answered. */
  readonly unconfirmed: number;
  /** How far the store's clock is ahead of this machine's; undefined before the store's first reply. */
  readonly clockOffset: number | undefined;
  /** Locks that this process holds: see {@link takeInventory}. */
  readonly held: number;
  /** Callers of this process that wait for a lock. */
  readonly waiting: number;
  /** The servers of red locks that can be used, of how many, and how many are needed; undefined where there are none. */
  readonly servers: { readonly usable: number; readonly all: number; readonly needed: number } | undefined;
}

/** Reads the health of a module instance. Never rejects. @param within the time limit, in ms */
export async function takeVitals(locks: LockService, within: number): Promise<LockVitals> {
  const { engine, ticks, red } = locks;
  const [answers, refusal, isListening] = await Promise.all([
    askRedis(locks, within),
    engine.context.wheel.within(within, refusalOf(locks)),
    listen(locks, within),
  ]);
  const leases = engine.localLocks.values().flatMap(({ holds }) => holds.map(({ lease }) => lease));
  const inventory = takeInventory(locks);
  const all = red?.servers.length ?? 0;
  return {
    ...answers,
    refusal,
    isListening,
    watchdogLate: Math.max(0, ...leases.map((lease) => engine.context.watchdog.lateBy(lease))),
    unconfirmed: leases.filter(({ state }) => state === 'unknown').length,
    clockOffset: ticks.clock.now() === undefined ? undefined : ticks.clock.aheadOfWall,
    held: inventory.reduce((sum, { held }) => sum + held, 0),
    waiting: inventory.reduce((sum, { waiting }) => sum + waiting, 0),
    servers: red && {
      usable: red.servers.filter(({ trouble }) => trouble === undefined).length,
      all,
      needed: majorityOf(all),
    },
  };
}

/** The reply carries the store's time. */
async function askRedis(
  { engine, ticks }: LockService,
  within: number,
): Promise<Pick<LockVitals, 'roundTrip' | 'trouble'>> {
  const sent = now();
  const answered = ticks.jobs.status(PROBE).then(
    () => ({ roundTrip: now() - sent, trouble: undefined }),
    (error: unknown) => ({ roundTrip: undefined, trouble: reasonOf(error) }),
  );
  const late = { roundTrip: undefined, trouble: `no answer within ${within} ms` };
  return (await engine.context.wheel.within(within, answered)) ?? late;
}

/** Takes a lock that no other process takes, and frees it. */
async function refusalOf({ engine }: LockService): Promise<string | undefined> {
  const { ids, kinds, settings } = engine.context;
  const kind = kinds.reentrant;
  const name = `${PROBE} ${ids.client}`;
  const holder = kind.holderIds.next();
  try {
    const target = new LockTarget(kind, name, settings.mapName(name));
    const command = { key: target.key, holder, lease: PROBE_LEASE, count: 1, wait: 0 };
    const reply = await promised<AcquireReply>((callback) => kind.scripts.acquire(command, callback));
    if (reply.kind === 'granted') await target.release(holder, 0, PROBE_LEASE);
    return undefined;
  } catch (error) {
    const failure = RedisFailure.from(error);
    return failure.kind === 'refused' || failure.isNotReplicated ? failure.message : undefined;
  }
}

async function listen({ engine, ticks }: LockService, within: number): Promise<boolean> {
  const { subscriptions, wheel } = engine.context;
  const subscription = subscriptions.subscribe(ticks.jobs.targetOf(PROBE).channel, () => undefined);
  await wheel.within(within, subscription.acknowledged);
  const { isActive } = subscription;
  subscription.release();
  return isActive;
}

/** The reason of Redis, or of the connection. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
