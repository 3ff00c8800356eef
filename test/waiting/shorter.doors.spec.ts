import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { QuorumStage } from '../quorum/quorum.stage.js';
import { BOUND, measure, NAME, play, SHORT, type Measured, type Scene, type Way } from './shorter.stage.js';
import { handOver, latch, partialRelease, permit, semaphore } from './shorter.ways.js';
import { EXPORTS, LATCH, LOCKABLE, PERMITS, SEMAPHORE, SERVICE, type Door } from './waiting.doors.js';

type Case = readonly [what: string, way: Way];

/** Each door of a table, after each of the ways. */
function through<T>(
  of: string,
  doors: Readonly<Record<string, Door<T> | string>>,
  thing: (scene: Scene) => T,
  waysOf: (door: string) => readonly Way[],
): Case[] {
  return Object.entries(doors).flatMap(([name, door]) =>
    typeof door === 'string'
      ? []
      : waysOf(name).map((way): Case => [
          `${of}.${name}, after ${way.what}`,
          { ...way, wait: (scene, signal) => door(thing(scene), signal) },
        ]),
  );
}

const shorterLock = () => [
  handOver('re-entrant lock', [], (service, name) => service.getLock(name)),
  partialRelease('re-entrant lock', [], (service, name) => service.getLock(name)),
];
const shorterLeadership = () => [
  handOver('fenced lock', [], (service, name) => service.getFencedLock(name)),
  partialRelease('fenced lock', [], (service, name) => service.getFencedLock(name)),
];
const shorterPermit = () => [
  permit(
    'a shorter lease of the only permit',
    [],
    ({ one, name }, { holder }) => one.getPermitExpirableSemaphore(name).updateLeaseTime(holder, SHORT),
    {},
  ),
];
const given = () => [semaphore('a release', [], ({ one, name }) => one.getSemaphore(name).release())];
const opened = () => [
  latch('the last countdown', [], ({ one, name }) => one.getCountDownLatch(name).countDown()),
];

const CASES: readonly Case[] = [
  ...through('lock', LOCKABLE, ({ other, name }) => other.getLock(name), shorterLock),
  ...through('multi lock', LOCKABLE, ({ other, name }) => other.getMultiLock('a', name, 'z'), shorterLock),
  ...through<LockService>(
    'service',
    SERVICE,
    ({ other }) => other,
    (door) => (door === 'elect' ? shorterLeadership() : shorterLock()),
  ),
  ...through('package', EXPORTS, ({ other }) => other, shorterLock),
  ...through('permits', PERMITS, ({ other, name }) => other.getPermitExpirableSemaphore(name), shorterPermit),
  ...through('semaphore', SEMAPHORE, ({ other, name }) => other.getSemaphore(name), given),
  ...through('latch', LATCH, ({ other, name }) => other.getCountDownLatch(name), opened),
];

/** By how much a lock was free, or a caller waited, for too long, in ms. */
function overtime({ free, waited }: Measured, { left = SHORT }: Way): number {
  return Math.max(0, free - BOUND, waited - left - BOUND);
}

describe('a lock is not free for longer than 100 ms while a caller waits for it, whichever call freed it', () => {
  test.each(CASES)('%s', async (_what, way) => {
    expect(overtime(await play(way), way)).toBe(0);
  });
});

describe('a red lock is not free for longer than 100 ms while a caller waits for it', () => {
  let stage: QuorumStage;
  beforeAll(async () => {
    stage = await QuorumStage.open(3);
  });
  afterAll(() => stage.close());

  const shorterRed = () => [partialRelease('red lock', [], (service, name) => service.getRedLock(name))];
  const cases = through('red lock', LOCKABLE, ({ other, name }) => other.getRedLock(name), shorterRed);

  test.each(cases)('%s', async (_what, way) => {
    const [one, other] = [await stage.openAll(), await stage.openAll()];
    const [seat] = stage.seats;
    if (seat === undefined) throw new Error('no server');
    const scene: Scene = { one, other, admin: seat.admin, name: NAME, key: stage.prefix + NAME };
    const leaving = new AbortController();
    try {
      const shorten = await way.hold(scene);
      const granted = way.wait(scene, leaving.signal);
      granted.catch(() => undefined);
      await stage.untilAsleep(NAME);
      await shorten();
      const isFree = async () => (await stage.keys(NAME)) < 2;
      expect(overtime(await measure(scene, { isFree }, granted), way)).toBe(0);
    } finally {
      leaving.abort(new Error('the test is over'));
      await stage.clear();
    }
  });
});
