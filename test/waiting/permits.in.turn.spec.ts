import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { suffixName } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { SlowAnswers } from '../support/faults/slow.answers.js';
import { KindStage } from '../kinds/kind.stage.js';
import { Gate } from '../locks/gate.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { begin, lockOf, places, settled, waitedSince } from './queue.stage.js';
import { BOUND } from './shorter.stage.js';

const PERMITS = 4;

/** Of both kinds of semaphore one permit is waited for. */
const SEMAPHORES = ['permit', 'semaphore'] as const;
type Kind = (typeof SEMAPHORES)[number];

/** What all callers hold: how many permits now, and the most at a time. */
interface Held {
  now: number;
  most: number;
  /** Opens when all permits are held. The first holders keep theirs until then. */
  readonly all: Gate;
}

/** Holds a permit again and again for a while. @returns how often */
async function work(service: LockService, kind: Kind, end: number, held: Held): Promise<number> {
  const semaphore = lockOf(service, kind);
  let count = 0;
  for (; performance.now() < end; count += 1)
    await semaphore.using(async () => {
      held.now += 1;
      held.most = Math.max(held.most, held.now);
      if (held.now === PERMITS) held.all.open();
      await held.all.opened;
      await sleep(5);
      held.now -= 1;
    });
  return count;
}

test.each(SEMAPHORES)(
  'four permits go to four of the processes that wait, and never to more: %s',
  async (kind) => {
    await KindStage.play('own', async (stage) => {
      const { admin } = stage.faults;
      await admin.set(stage.faults.key('x'), PERMITS);
      const services = await Promise.all(Array.from({ length: 20 }, () => stage.faults.open()));
      const held: Held = { now: 0, most: 0, all: new Gate() };
      const before = await stage.sent();
      const end = performance.now() + scaled(2000);
      const counts = await Promise.all(services.map((service) => work(service, kind, end, held)));
      const after = await stage.sent();
      const holds = counts.reduce((sum, count) => sum + count, 0);
      const sent = [...after].reduce((sum, [name, calls]) => sum + calls - (before.get(name) ?? 0), 0);
      expect(held.most).toBe(PERMITS);
      // Each of them, with a share that is not far from an equal one.
      expect(Math.min(...counts) / (holds / counts.length), counts.join(', ')).toBeGreaterThan(0.5);
      // A release that woke all of them would cost 16 requests at least.
      expect(sent / holds).toBeLessThan(8);
      await until('each permit is there', async () => (await admin.get(stage.faults.key('x'))) === '4');
      await admin.set(stage.faults.key('x'), 1);
      await settled(stage);
    });
  },
);

const BOTH = SEMAPHORES.flatMap((kind) => [0, 1, 2].map((stopped) => ({ kind, stopped })));

test.each(BOTH)(
  'permits that are added go to as many processes at once, past process $stopped that is stopped: $kind',
  async ({ kind, stopped }) => {
    const others = [0, 1, 2, 3].filter((index) => index !== stopped);
    await KindStage.play('shared', async (stage) => {
      const { admin } = stage.faults;
      await admin.set(stage.faults.key('x'), 0);
      const workers = await Promise.all([1, 2, 3, 4].map(() => stage.fork()));
      for (const [index, worker] of workers.entries()) {
        worker.take(index, kind, 'x');
        await places(stage, index + 1);
      }
      workers[stopped]?.signal('SIGSTOP');
      const begun = begin();
      const service = await stage.faults.open();
      const semaphore =
        kind === 'permit' ? service.getPermitExpirableSemaphore('x') : service.getSemaphore('x');
      await semaphore.addPermits(3);
      const granted = () => others.filter((index) => workers[index]?.grant(index));
      await until('the three others are in', () => granted().length === 3);
      for (const index of granted()) {
        expect(waitedSince(begun, workers[index]?.grant(index))).toBeLessThan(2 * BOUND);
        workers[index]?.unlock(index);
      }
      workers[stopped]?.signal('SIGCONT');
      await until('the stopped one is in', () => workers[stopped]?.grant(stopped) !== undefined);
      workers[stopped]?.unlock(stopped);
      await until('each permit is there', async () => (await admin.get(stage.faults.key('x'))) === '3');
      expect(await admin.zcount(suffixName(stage.faults.key('x'), 'waiting'), 1, '+inf')).toBe(0);
      await admin.set(stage.faults.key('x'), 1);
      await settled(stage);
    });
  },
);

/** The places, the first one first. */
async function line(stage: KindStage): Promise<string[]> {
  return await stage.faults.admin.zrange(
    suffixName(stage.faults.key('x'), 'waiting'),
    '(0',
    '+inf',
    'BYSCORE',
  );
}

test('a process that waits keeps its place while it releases other permits', async () => {
  await KindStage.play('shared', async (stage) => {
    await stage.faults.admin.set(stage.faults.key('x'), 3);
    const wire = await stage.faults.proxy();
    const slow = new SlowAnswers(wire, 30);
    const [one, other] = await Promise.all([stage.faults.open({}, wire), stage.faults.open()]);
    const semaphore = one.getPermitExpirableSemaphore('x');
    const held = [await semaphore.acquire(), await semaphore.acquire(), await semaphore.acquire()];
    const all = [semaphore.acquire()];
    await places(stage, 1);
    all.push(other.getPermitExpirableSemaphore('x').acquire());
    await places(stage, 2);
    const before = await line(stage);
    // The answer to the first one finds the second one under way.
    const freed = [held[0]?.unlock()];
    await until('Redis has the first release', () => slow.operations['permit/release'] === 1);
    freed.push(held[1]?.unlock());
    const granted = await Promise.all(all);
    await Promise.all(freed);
    expect(before).toHaveLength(2);
    // A place that is given up costs a release.
    expect(slow.operations['permit/release']).toBe(2);
    await Promise.all([...granted, held[2]].map((handle) => handle?.unlock()));
    await until(
      'each permit is there',
      async () => (await stage.faults.admin.get(stage.faults.key('x'))) === '3',
    );
    await stage.faults.admin.set(stage.faults.key('x'), 1);
    await settled(stage);
  });
});

test('a process that always holds a permit, and waits no more, gives up its place as a listener', async () => {
  await KindStage.play('shared', async (stage) => {
    const { admin } = stage.faults;
    const key = stage.faults.key('x');
    await admin.set(key, 2);
    const [one, other] = await Promise.all([stage.faults.open(), stage.faults.open()]);
    const semaphore = one.getPermitExpirableSemaphore('x');
    const theirs = await other.getPermitExpirableSemaphore('x').acquire();
    let ours = await semaphore.acquire();
    const waiting = semaphore.acquire();
    await places(stage, 1);
    await theirs.unlock();
    let another = await waiting;
    await until(
      'it is no listener any more',
      async () => (await admin.exists(suffixName(key, 'waiting'))) === 0,
    );
    for (let turn = 0; turn < 3; turn += 1) {
      await ours.unlock();
      ours = another;
      another = await semaphore.acquire();
    }
    expect(await Promise.all([ours.unlock(), another.unlock()])).toEqual(['released', 'released']);
    await until('each permit is there', async () => (await admin.get(key)) === '2');
    await admin.set(key, 1);
    await settled(stage);
  });
});

test('a permit that is released by its id goes past a process that is stopped', async () => {
  await KindStage.play('shared', async (stage) => {
    const { admin } = stage.faults;
    await admin.set(stage.faults.key('x'), 1);
    const [one, other] = await Promise.all([stage.faults.open(), stage.faults.open()]);
    const held = await one.getPermitExpirableSemaphore('x').acquire();
    const workers = await Promise.all([1, 2].map(() => stage.fork()));
    for (const [index, worker] of workers.entries()) {
      worker.take(index, 'permit', 'x');
      await places(stage, index + 1);
    }
    workers[0]?.signal('SIGSTOP');
    const begun = begin();
    expect(await other.getPermitExpirableSemaphore('x').tryRelease(held.holder)).toBe(true);
    await until('the other one is in', () => workers[1]?.grant(1) !== undefined);
    expect(waitedSince(begun, workers[1]?.grant(1))).toBeLessThan(2 * BOUND);
    workers[0]?.signal('SIGCONT');
    workers[1]?.unlock(1);
    await until('the stopped one is in', () => workers[0]?.grant(0) !== undefined);
    workers[0]?.unlock(0);
    await held.unlock();
    await settled(stage);
  });
});

test('a call for several permits of a plain semaphore does not hold up calls for fewer, and has its turn', async () => {
  await KindStage.play('shared', async (stage) => {
    const { admin } = stage.faults;
    const key = stage.faults.key('x');
    await admin.set(key, 0);
    const [one, two, three] = await Promise.all([1, 2, 3].map(() => stage.faults.open()));
    const ofOne = one?.getSemaphore('x');
    const granted: string[] = [];
    const acquire = async (name: string, service: LockService | undefined, permits: number) => {
      await service?.getSemaphore('x').acquire(permits);
      granted.push(name);
    };
    const many = acquire('three permits', two, 3);
    await places(stage, 1);
    const few = acquire('one permit', three, 1);
    await places(stage, 2);
    await ofOne?.release();
    await few;
    expect(granted).toEqual(['one permit']);
    await ofOne?.release(2);
    // Too few for the other one, whose process was not woken: a call of its own changes nothing.
    expect(await two?.getSemaphore('x').tryAcquire(3)).toBe(false);
    expect([granted, await admin.get(key)]).toEqual([['one permit'], '2']);
    await three?.getSemaphore('x').release();
    await many;
    expect(granted).toEqual(['one permit', 'three permits']);
    expect(await admin.get(key)).toBe('0');
    await admin.set(key, 1);
    await settled(stage);
  });
});

test.each([
  [5, 2],
  [2, 5],
])(
  'a process whose first waiter, for %i permits, leaves waits on for the %i of the next one',
  async (first, next) => {
    await KindStage.play('shared', async (stage) => {
      const { admin } = stage.faults;
      const key = stage.faults.key('x');
      await admin.set(key, 0);
      const [one, other] = await Promise.all([stage.faults.open(), stage.faults.open()]);
      const abort = new AbortController();
      const left = one.getSemaphore('x').acquire(first, { signal: abort.signal });
      left.catch(() => undefined);
      await places(stage, 1);
      const waiting = one.getSemaphore('x').acquire(next);
      abort.abort(new Error('given up'));
      await expect(left).rejects.toThrow('given up');
      const wanted = `:${String(next).padStart(10, '0')}`;
      await until('its place is for the next one', async () => {
        const all = await line(stage);
        return all.length === 1 && all.every((place) => place.includes(wanted));
      });
      await other.getSemaphore('x').release(next);
      await waiting;
      expect(await admin.get(key)).toBe('0');
      await admin.set(key, 1);
      await settled(stage);
    });
  },
);

test('using() with permits for a while goes past a process that is stopped', async () => {
  await KindStage.play('shared', async (stage) => {
    await stage.faults.admin.set(stage.faults.key('x'), 1);
    const [one, other] = await Promise.all([stage.faults.open(), stage.faults.open()]);
    await one.getSemaphore('x').acquire();
    // It waits, so that the local semaphore of its wait is another one than that of its work.
    const begun = new Gate();
    const over = new Gate();
    const worked = other.getSemaphore('x').using(async () => {
      begun.open();
      await over.opened;
    });
    await places(stage, 1);
    await one.getSemaphore('x').release();
    await begun.opened;
    const workers = await Promise.all([1, 2].map(() => stage.fork()));
    for (const [index, worker] of workers.entries()) {
      worker.take(index, 'semaphore', 'x');
      await places(stage, index + 1);
    }
    workers[0]?.signal('SIGSTOP');
    const started = begin();
    over.open();
    await worked;
    await until('the second one is in', () => workers[1]?.grant(1) !== undefined);
    expect(waitedSince(started, workers[1]?.grant(1))).toBeLessThan(2 * BOUND);
    workers[0]?.signal('SIGCONT');
    workers[1]?.unlock(1);
    await until('the stopped one is in', () => workers[0]?.grant(0) !== undefined);
    workers[0]?.unlock(0);
    await settled(stage);
  });
});
