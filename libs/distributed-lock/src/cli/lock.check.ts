import { randomUUID } from 'node:crypto';
import { DistributedLockError } from '../errors/lock.errors.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { ServerSession } from '../connections/server.session.js';
import type { Finding } from '../startup/server.findings.js';
import type { LockService } from '../service/lock.service.js';
import { now } from '../timing/monotonic.clock.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import type { CommandLine } from '../command-line/command.line.js';
import { openLocks } from '../command-line/open.locks.js';

/** How long the waiter may stay in ms: shorter than the lease, so that only a message can wake it before. */
const TIMEOUT = 2000;
/** In ms. If this process is killed, what it leaves behind ends after this time. */
const LEASE = 5000;
/** The time for the waiter to subscribe, in ms. */
const SETTLING = 150;
/** The time limit of the whole check, in ms. */
const LONGEST = 15_000;

interface Case {
  readonly line: CommandLine;
  readonly session: ServerSession;
  readonly wheel: TimerWheel;
  readonly role: string | undefined;
}

/** Acquires a lock with a name that no client uses, lets another client wait for it, and releases it, as applications do. */
export async function checkLock({ line, session, wheel, role }: Case): Promise<Finding> {
  const check = 'lock';
  if (role !== undefined && role !== 'master')
    return { check, status: 'skip', text: 'not tried: only a master accepts writes' };
  const finding = await wheel.within(
    LONGEST,
    Promise.all([openLocks(line, session), openLocks(line, session)]).then(
      (services) => tryOut(services, session, wheel, line),
      (error: unknown) => unusable(error),
    ),
  );
  return finding ?? unusable(new RedisFailure('ambiguous', `it took longer than ${LONGEST} ms`));
}

async function tryOut(
  services: readonly [LockService, LockService],
  session: ServerSession,
  wheel: TimerWheel,
  { prefix }: CommandLine,
): Promise<Finding> {
  const name = `doctor:${randomUUID()}`;
  const [one, other] = services;
  try {
    const requestedAt = now();
    const held = await one.getLock(name).lock({ leaseTime: LEASE, waitTime: TIMEOUT });
    const taken = now() - requestedAt;
    const waiting = other.getLock(name).tryLock({ leaseTime: LEASE, waitTime: TIMEOUT });
    // Its failure is read below.
    waiting.catch(() => undefined);
    await wheel.pause(SETTLING);
    const freed = now();
    await held.unlock();
    const next = await waiting;
    const woken = now() - freed;
    await next?.unlock();
    const key = `${session.keyPrefix}${prefix}${name}`;
    const left = await session.serverOf(key).ask('EXISTS', key);
    return judge(taken, next === null ? undefined : woken, left === 1);
  } catch (error) {
    return unusable(error);
  } finally {
    await Promise.all(services.map((service) => service.shutDown()));
  }
}

function judge(taken: number, woken: number | undefined, isLeft: boolean): Finding {
  const check = 'lock';
  if (woken === undefined)
    return {
      check,
      status: 'fail',
      text: 'a waiter of another connection was not woken by the release: messages do not arrive',
      remedy:
        'Allow PUBLISH and SUBSCRIBE on the channels of docs/security.md, on a connection without a proxy that drops them. Without pub/sub use spin locks.',
    };
  if (isLeft)
    return {
      check,
      status: 'fail',
      text: 'the lock is still there after its release',
      remedy: 'Make sure that this server is the master.',
    };
  return {
    check,
    status: 'ok',
    text: `acquired in ${taken.toFixed(1)} ms; the next waiter acquired it ${woken.toFixed(1)} ms after the release`,
  };
}

function unusable(error: unknown): Finding {
  const text = error instanceof Error ? error.message : String(error);
  const base = { check: 'lock', status: 'fail' } as const;
  if (!(error instanceof DistributedLockError))
    return { ...base, text, remedy: 'See the other lines, and docs/security.md.' };
  const { remedy } = error;
  return { ...base, text: text.replace(remedy, '').trim(), remedy };
}
