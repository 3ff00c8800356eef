import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LockLostError, type Lock, type LockHandle, type LockService } from 'nestjs-distributed-lock';
import { RedisFailure } from '../../libs/distributed-lock/src/redis/redis.failure.js';
import { unavailable } from '../../libs/distributed-lock/src/core/unavailable.errors.js';
import { runCommandLine } from '../../libs/distributed-lock/src/cli/command.runner.js';
import { Terminal } from '../../libs/distributed-lock/src/command-line/terminal.js';
import { inject } from 'vitest';
import { Services } from '../support/services.js';
import { scaled } from '../support/slowness.js';

const services = new Services();
let locks: LockService;
let other: LockService;

beforeAll(async () => {
  locks = await services.open({ lockWatchdogTimeout: scaled(900), shutdownTimeout: 50 });
  other = await services.open();
});

afterAll(() => services.close());

/** The reason of a handle's signal. */
async function lossOf({ signal }: LockHandle): Promise<LockLostError> {
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  return signal.reason;
}

async function unlockByCommand(name: string): Promise<void> {
  const quiet = new Terminal(
    () => undefined,
    () => undefined,
  );
  const args = ['unlock', name, '--yes', '--redis', inject('redisUrl'), '--prefix', services.prefix];
  expect(await runCommandLine(args, {}, quiet)).toBe(0);
}

/** How a lock is lost, and what its holder reads. */
const LOSSES: readonly (readonly [string, (lock: Lock) => Promise<LockLostError>, RegExp, RegExp])[] = [
  [
    'a forced unlock of this process',
    async (lock) => {
      const handle = await lock.lock();
      await lock.forceUnlock();
      return await lossOf(handle);
    },
    /by force/,
    /This process called forceUnlock\(\)/,
  ],
  [
    'a forced unlock of another process',
    async (lock) => {
      const handle = await lock.lock();
      await other.getLock(lock.name).forceUnlock();
      return await lossOf(handle);
    },
    /although the lease had not ended$/,
    /Check for forceUnlock\(\), the unlock command/,
  ],
  [
    'the unlock command',
    async (lock) => {
      const handle = await lock.lock();
      await unlockByCommand(lock.name);
      return await lossOf(handle);
    },
    /although the lease had not ended$/,
    /the unlock command/,
  ],
  [
    'a lease that is over',
    async (lock) => lossOf(await lock.lock({ leaseTime: 150 })),
    /its lease ended/,
    /Raise leaseTime, or omit it/,
  ],
  [
    'a handle that is used after its release',
    async (lock) => {
      const handle = await lock.lock();
      await handle.unlock();
      try {
        handle.assertHeld();
      } catch (error) {
        if (error instanceof LockLostError) return error;
      }
      throw new Error('it passed');
    },
    /it was unlocked/,
    /acquire the lock again: a released handle stays released/,
  ],
  [
    'a shutdown',
    async ({ name }) => {
      const closing = await services.open({ shutdownTimeout: 20 });
      const handle = await closing.getLock(name).lock();
      const loss = lossOf(handle);
      await closing.shutDown();
      return await loss;
    },
    /shutting down/,
    /raise shutdownTimeout/,
  ],
  [
    'a hold that is too long',
    async ({ name }) => {
      const strict = await services.open({ maxHold: 100 });
      const handle = await strict.getLock(name).lock();
      const loss = await lossOf(handle);
      await other.getLock(name).forceUnlock();
      return loss;
    },
    /longer than maxHold/,
    /raise maxHold/,
  ],
];

describe('the remedy of a loss fits its reason', () => {
  test.each(LOSSES)('%s', async (title, lose, why, remedy) => {
    const loss = await lose(locks.getLock(title));
    expect(loss.why).toMatch(why);
    expect(loss.remedy).toMatch(remedy);
    expect(loss.message.endsWith(loss.remedy)).toBe(true);
    const isOfTime = /its lease ended/.test(loss.why);
    expect(/aise leaseTime|lockWatchdogTimeout/.test(loss.remedy)).toBe(isOfTime);
  });

  test('where a permit was given back by its id', async () => {
    const semaphore = locks.getPermitExpirableSemaphore('permits');
    await semaphore.trySetPermits(1);
    const handle = await semaphore.acquire();
    await semaphore.tryRelease(handle.holder);
    expect((await lossOf(handle)).remedy).toContain('The id of this permit was passed to tryRelease()');
    const next = await semaphore.acquire();
    await semaphore.delete();
    expect((await lossOf(next)).remedy).toContain('The semaphore was deleted while permits were held');
  });

  test('where one of several locks was lost', async () => {
    const handle = await locks.getMultiLock('m1', 'm2').lock();
    await locks.getLock('m2').forceUnlock();
    const loss = await lossOf(handle);
    expect(loss.why).toContain(
      'only 1 of its 2 locks are held, and 2 are needed (Lock "m2" is no longer held: it was unlocked by force',
    );
    expect(loss.remedy).toContain('This process called forceUnlock()');
    await handle.unlock();
  });

  test('where onLost: "throw" gives the reason', async () => {
    const lock = locks.getLock('thrown');
    const work = async () => {
      await lock.forceUnlock();
    };
    await expect(lock.using(work, { onLost: 'throw' })).rejects.toMatchObject({
      code: 'LOST',
      message: expect.stringMatching(/lost while the work ran.*forceUnlock/),
    });
  });

  test('where a leader resigned', async () => {
    let ended: (reason: Error) => void = () => undefined;
    const reason = new Promise<Error>((resolve) => (ended = resolve));
    const election = locks.elect('leader', { onRevoked: ended });
    await expect.poll(() => election.isLeader, { timeout: scaled(3000) }).toBe(true);
    await election.resign();
    await election.stop();
    await services.admin.del(`redisson_lock_token:{${services.prefix}leader}`);
    expect(await reason).toMatchObject({
      code: 'LOST',
      remedy: expect.stringContaining('resign() was called'),
    });
  });
});

describe('the remedy of a refusal by Redis fits its reply', () => {
  test.each([
    ["NOPERM User default has no permissions to run the 'eval' command", /permission/],
    ["OOM command not allowed when used memory > 'maxmemory'.", /maxmemory/],
    ["READONLY You can't write against a read only replica.", /master/],
    ['MISCONF Redis is configured to save RDB snapshots, but it is unable to persist to disk.', /disk/],
    ['MOVED 5474 127.0.0.1:7002', /disagree about this slot/],
    ['ASK 5474 127.0.0.1:7002', /disagree about this slot/],
    ["CROSSSLOT Keys in request don't hash to the same slot", /hash tag/],
    ['NOAUTH Authentication required.', /user and the password/],
    ['ERR something else', /Check the message of Redis/],
    ['WRONGTYPE Operation against a key holding the wrong kind of value', /Choose another name/],
  ])('%s', (reply, remedy) => {
    const failure = new RedisFailure('refused', reply, { code: /^[A-Z]+/.exec(reply)?.[0] });
    expect(unavailable('x', failure).remedy).toMatch(remedy);
  });

  test.each(['MOVED 5474 127.0.0.1:7002', 'ASK 5474 127.0.0.1:7002'])('%s, from one server', (reply) => {
    const failure = new RedisFailure('refused', reply, { code: /^[A-Z]+/.exec(reply)?.[0] }).asFinal();
    expect(unavailable('x', failure).remedy).toMatch(/a Cluster of ioredis, or createCluster/);
  });
});
