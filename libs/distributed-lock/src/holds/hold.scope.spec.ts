import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { CurrentLock } from '../contracts/lock.contract.js';
import { HolderIds } from '../core/holder.ids.js';
import { currentFrame, findHold, isInside, runInScope, type ScopedHold } from './hold.scope.js';

const HANDLE: CurrentLock = Object.create(null);

describe('a scope', () => {
  const owner = {};
  const newHold = (id: string, of: object = owner) => ({ id, context: of, isLive: true });
  const inside = <T>(hold: ScopedHold, work: () => T): T => runInScope(hold, HANDLE, work);

  test('knows nothing outside', () => {
    expect(currentFrame()).toBeUndefined();
    expect(findHold(owner, 'x')).toBeUndefined();
    expect(isInside(owner)).toBe(false);
  });

  test('finds the innermost live hold of a lock and an owner', () => {
    const [outer, inner, foreign] = [newHold('x'), newHold('x'), newHold('x', {})];
    inside(outer, () =>
      inside(inner, () =>
        inside(foreign, () => {
          expect(findHold(owner, 'x')).toBe(inner);
          expect(findHold(foreign.context, 'x')).toBe(foreign);
          expect(findHold(owner, 'y')).toBeUndefined();
          expect(findHold({}, 'x')).toBeUndefined();
          inner.isLive = false;
          expect(findHold(owner, 'x')).toBe(outer);
          outer.isLive = false;
          expect(findHold(owner, 'x')).toBeUndefined();
          expect([isInside(owner), isInside(foreign.context)]).toEqual([false, true]);
        }),
      ),
    );
  });

  test('reaches into what is awaited, and not into its siblings', async () => {
    const [one, other] = [newHold('x'), newHold('x')];
    const look = (hold: ScopedHold) =>
      inside(hold, async () => {
        await sleep(1);
        return findHold(owner, 'x');
      });
    expect(await Promise.all([look(one), look(other)])).toEqual([one, other]);
    expect(findHold(owner, 'x')).toBeUndefined();
  });

  test('gives what the work gives, and lets its error pass', () => {
    expect(inside(newHold('x'), () => 7)).toBe(7);
    const fail = () => {
      throw new Error('of the work');
    };
    expect(() => inside(newHold('x'), fail)).toThrow('of the work');
  });

  test('does not grow with a loop that begins its next round inside of the last one', () => {
    let depth = 0;
    const round = (number: number): void => {
      const hold = newHold('x');
      inside(hold, () => {
        depth = 0;
        for (let frame = currentFrame(); frame !== undefined; frame = frame.around) depth += 1;
        hold.isLive = false;
        if (number < 500) round(number + 1);
      });
    };
    inside(newHold('of the process'), () => round(1));
    expect(depth).toBe(3);
  });

  test('keeps a lost hold in its chain, so that code inside learns of the loss', () => {
    const lost = newHold('x');
    inside(lost, () => {
      lost.isLive = false;
      inside(newHold('y'), () => expect(currentFrame()?.around?.hold).toBe(lost));
    });
  });
});

test('holder ids are those of one client, and none is ever given twice', () => {
  const [ids, others] = [new HolderIds(), new HolderIds()];
  const given = Array.from({ length: 1000 }, () => ids.next());
  expect(given.slice(0, 3)).toEqual([1, 2, 3].map((number) => `${ids.client}:${number}`));
  expect(new Set(given).size).toBe(1000);
  expect(others.client).not.toBe(ids.client);
});

test('a holder id is kept as its number, if it is one of this client, and found again', () => {
  const [ids, others] = [new HolderIds(), new HolderIds()];
  const own = ids.next();
  expect(ids.brief(own)).toBe(1);
  expect(ids.whole(ids.brief(own))).toBe(own);
  for (const other of [
    others.next(),
    `${ids.client}:`,
    `${ids.client}:1:2`,
    `${ids.client}:01`,
    'of Java:7',
    '7',
  ]) {
    expect(ids.brief(other)).toBe(other);
    expect(ids.whole(other)).toBe(other);
  }
});
