import { LockConfigurationError, type LockService } from 'nestjs-distributed-lock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Gate } from '../locks/gate.js';
import { until } from '../support/until.js';
import { DoorStage } from './door.stage.js';

let stage: DoorStage;
let locks: LockService;
beforeEach(async () => {
  stage = new DoorStage();
  locks = await stage.services.open();
});
afterEach(() => stage.close());

describe('LockService.using', () => {
  test('runs work under the lock of a name, in its scope, and releases it', async () => {
    const seen = await locks.using('a', async ({ name, isHeld }) => {
      const count = await locks.using('a', () => locks.getLock('a').getHoldCount());
      return { name, isHeld, count };
    });
    expect(seen).toEqual({ name: 'a', isHeld: true, count: 2 });
    expect(await stage.services.keys()).toEqual([]);
  });

  test('runs work under several locks as one, whatever their order', async () => {
    const opposite = await stage.services.open();
    let inside = 0;
    const work = async ({ name }: { readonly name: string }) => {
      inside += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return `${name}: ${inside--}`;
    };
    const calls = Array.from({ length: 10 }, () => [
      locks.using(['a', 'b'], work),
      opposite.using(['b', 'a', 'b'], work),
    ]);
    expect(new Set(await Promise.all(calls.flat()))).toEqual(new Set(['a, b: 1']));
    await until('nothing is left', async () => (await stage.services.keys()).length === 0);
  });

  test('takes an array of one name, however often it is given, as that lock', async () => {
    expect(await locks.using(['a', 'a'], ({ name, token }) => ({ name, token }), { kind: 'fenced' })).toEqual(
      { name: 'a', token: expect.any(BigInt) },
    );
    // The token of a name outlives its locks.
    await stage.services.admin.del(await stage.services.keys());
  });

  test('takes any kind: readers run together, and a writer is refused meanwhile', async () => {
    const gate = new Gate();
    let readers = 0;
    const read = async () => {
      readers += 1;
      await gate.opened;
    };
    const reads = [locks.using('a', read, { kind: 'read' }), locks.using(['b', 'a'], read, { kind: 'read' })];
    await until('both read', () => readers === 2);
    const write = locks.using('a', () => 'never', { kind: 'write', waitTime: 0 });
    await expect(write).rejects.toMatchObject({ code: 'NOT_ACQUIRED', lock: 'a' });
    gate.open();
    await Promise.all(reads);
    expect(await locks.using('a', ({ name }) => name, { kind: 'write' })).toBe('a');
  });

  test('passes its options on', async () => {
    await stage.hold('b');
    const refused = locks.using(['b', 'a'], () => 'never', { waitTime: 0 });
    await expect(refused).rejects.toMatchObject({ code: 'NOT_ACQUIRED', lock: 'a, b' });
    const reason = new Error('changed my mind');
    const left = locks.using(['b', 'a'], () => 'never', { signal: AbortSignal.abort(reason) });
    await expect(left).rejects.toBe(reason);
    const lost = locks.using(
      ['c', 'd'],
      async ({ signal }) => {
        await locks.getLock('d').forceUnlock();
        await until('it is told', () => signal.aborted);
      },
      { onLost: 'throw', leaseTime: '10s' },
    );
    await expect(lost).rejects.toMatchObject({ code: 'LOST', lock: 'c, d' });
  });

  test.each([
    [[], {}, 'INVALID_NAME', 'using() was given an empty array; a key is a name, or an array of names.'],
    [['a', 7], {}, 'INVALID_NAME', 'using() was given an array with number at [1]'],
    [undefined, {}, 'INVALID_NAME', 'using() was given undefined'],
    ['', {}, 'INVALID_NAME', 'using() was given an empty string'],
    [['a', 'x'.repeat(1025)], {}, 'INVALID_NAME', ' is not a valid lock name.'],
    ['a', { kind: 'spin' }, 'INVALID_OPTION', 'kind of using() for "a" must be one of "reentrant", "fair"'],
    [['b', 'a'], { kind: 7 }, 'INVALID_OPTION', 'kind of using() for "b, a" must be one of'],
    [['a', 'read'], { kind: 'fair' }, 'KIND_CONFLICT', '"read" is a read/write lock in this application'],
    ['a', { onLost: 'ignore' }, 'INVALID_OPTION', 'onLost must be "signal" or "throw" for lock "a"'],
  ])(
    'refuses what names no lock, or cannot work, before anything is sent (%#)',
    async (key, options, code, said) => {
      locks.getReadWriteLock('read');
      let error: unknown;
      const sent = await stage.sent(async () => {
        error = await Reflect.apply(locks.using, locks, [key, () => 'never', options]).catch(
          (reason: unknown) => reason,
        );
      });
      expect(error).toBeInstanceOf(LockConfigurationError);
      expect(error).toMatchObject({ code, message: expect.stringContaining(said) });
      expect(sent).toEqual([]);
    },
  );
});
