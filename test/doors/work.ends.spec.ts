import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LASTING_KINDS } from '../../libs/distributed-lock/src/work/lasting.work.js';
import { BaseLock } from '../../libs/distributed-lock/src/locks/base.lock.js';
import { RedLock } from '../../libs/distributed-lock/src/groups/red.lock.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { DoorStage } from './door.stage.js';
import { DOORS, JOBS, WorkStage, type Door } from './work.doors.js';
import { PIECES, type Fate, type Piece } from './work.pieces.js';

/** How long a lock is watched that must not be released, in ms. */
const WATCHED = 60;

let stage: DoorStage;
let work: WorkStage;
beforeAll(async () => {
  stage = new DoorStage();
  work = await WorkStage.open(stage);
}, scaled(30_000));
afterAll(async () => {
  // Semaphores, and the tokens and records of leaders and jobs, are meant to stay.
  const { services } = stage;
  await work.app.close();
  await services.admin.del(await services.keys());
  await stage.close();
});

/**
 * What became of a piece.
 * @param within how long the lock may still be held although the piece has ended, in ms
 */
async function observe(door: Door, lock: string, piece: Piece, within: number): Promise<Fate> {
  const isHeld = () => door.isHeld?.(work, lock) ?? work.witness.getLock(lock).isLocked();
  const isFree = async () => !(await isHeld());
  let [isOver, error]: [boolean, unknown] = [false, undefined];
  const run = door.run(work, lock, piece).then(
    () => (isOver = true),
    (reason: unknown) => ([isOver, error] = [true, reason]),
  );
  await until('it has begun, or ended', () => piece.began() || isOver);
  if (!piece.began()) {
    await until('a refused piece leaves no lock', isFree);
    // What a timer runs has no caller.
    if (error !== undefined && Object(error).code !== 'NOT_ASYNC') throw error;
    return 'refused';
  }
  const end = performance.now() + within;
  let hasEnded = false;
  while (!hasEnded && performance.now() < end) {
    hasEnded = await isFree();
    await sleep(5);
  }
  piece.end();
  await run;
  if (error !== undefined) throw error;
  await until('it is free', isFree);
  return hasEnded ? 'over' : 'held';
}

describe.each(Object.entries(DOORS))('%s', (name, door) => {
  test.each(Object.entries(PIECES))(
    '%s',
    { timeout: scaled(20_000) },
    async (kind, { make, fate: usual }) => {
      const lock = `${name}:${kind}`;
      const piece = name in JOBS ? work.pieces.get(lock) : make();
      if (piece === undefined) throw new Error(`the application has no piece for ${lock}`);
      const fate = door.fates?.[kind] ?? usual;
      expect(await observe(door, lock, piece, fate === 'held' ? WATCHED : scaled(5000))).toBe(fate);
    },
  );
});

describe('the table is whole', () => {
  test('every kind of result that goes on has a piece', () => {
    const kinds = new Set(Object.values(PIECES).map(({ lasting }) => lasting));
    expect(LASTING_KINDS.filter((kind) => !kinds.has(kind))).toEqual([]);
  });

  test('every kind of lock runs its work by the same function', () => {
    const { locks } = work;
    const all = [
      locks.getLock('a'),
      locks.getNonReentrantLock('b'),
      locks.getFairLock('c'),
      locks.getNonReentrantFairLock('d'),
      locks.getFencedLock('e'),
      locks.getSpinLock('f'),
      locks.getReadWriteLock('g').readLock(),
      locks.getReadWriteLock('g').writeLock(),
      locks.getMultiLock('a', 'h'),
    ];
    expect(new Set([RedLock.prototype, ...all].map((lock) => Reflect.get(lock, 'using')))).toEqual(
      new Set([Reflect.get(BaseLock.prototype, 'using')]),
    );
  });
});
