import { Test } from '@nestjs/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LockService } from 'nestjs-distributed-lock';
import { DistributedLockTestingModule, LockTestingControl } from 'nestjs-distributed-lock/testing';
import { Services } from '../support/services.js';
import { ALSO_TAKEN, DOORS, NO_OPTIONS, OTHER_PLACE, type OptionGround } from './option.table.js';
import { PublicApi } from './public.api.js';

const DOORS_OF_API = new PublicApi().optionDoors().filter(({ door }) => NO_OPTIONS[door] === undefined);

const services = new Services();
let ground: OptionGround;
let closeMemory: () => Promise<void>;

beforeAll(async () => {
  const module = await Test.createTestingModule({
    imports: [DistributedLockTestingModule.forRoot({ redLock: {} })],
  }).compile();
  const memory = module.get(LockService);
  ground = { locks: await services.open(), memory, control: module.get(LockTestingControl) };
  closeMemory = () => module.close();
});

afterAll(async () => {
  await closeMemory();
  await services.close();
});

/** The errors of every call of a door, in order. */
async function errorsOf(door: string, given: unknown): Promise<unknown[]> {
  const errors: unknown[] = [];
  for (const call of DOORS[door]?.(given as never, ground) ?? []) {
    try {
      errors.push(`it was taken: ${String(await call())}`);
    } catch (error) {
      errors.push(error);
    }
  }
  return errors;
}

test('every method of the public API that takes options is in the table', () => {
  expect(Object.keys(DOORS).toSorted()).toEqual(DOORS_OF_API.map(({ door }) => door));
});

describe.each(DOORS_OF_API)('$door', ({ door, names }) => {
  test('refuses an unknown option, and names it, the nearest one, and every name of its type', async () => {
    for (const name of names) {
      // A letter is missing: the mistake that a compiler finds, and a config object hides.
      const misspelt = name.slice(0, 2) + name.slice(3);
      const errors = await errorsOf(door, { [misspelt]: undefined });
      expect(errors).not.toEqual([]);
      for (const error of errors) {
        expect(error).toMatchObject({ name: 'LockConfigurationError', code: 'INVALID_OPTION' });
        const message = String(error);
        expect(message).toContain(`Unknown option "${misspelt}"`);
        const listed = /The known options are (.*?)\./.exec(message)?.[1]?.split(', ') ?? [];
        const known = [...names, ...(ALSO_TAKEN[door] ?? [])].toSorted();
        const others = OTHER_PLACE[door] ?? [];
        expect([known, known.filter((each) => !others.includes(each))]).toContainEqual(listed.toSorted());
        const isNear = listed.includes(name);
        expect(message.includes(`did you mean ${name}?`)).toBe(isNear);
      }
    }
    expect(await services.keys()).toEqual([]);
  });
});

describe('what is no object', () => {
  // `tryLock('2s')` would be a call without options.
  test.each(
    DOORS_OF_API.map(({ door }) => door).filter((door) => /^(?:Lock|Semaphore|Permit|Count|Job)/.test(door)),
  )('%s refuses it', async (door) => {
    for (const given of ['2s', 500, null, ['2s'], true, () => 'x']) {
      for (const error of await errorsOf(door, given)) {
        expect(error).toMatchObject({ code: 'INVALID_OPTION' });
        expect(String(error)).toMatch(/must be an object with some of/);
      }
    }
  });
});

describe('names that are near to none', () => {
  test.each([
    ['retries', 'Unknown option "retries" for "x". The known'],
    ['timeout', 'did you mean waitTime?'],
    ['ttl', 'did you mean leaseTime?'],
    ['WAIT_TIME', 'did you mean waitTime?'],
    ['waitTimeMs', 'did you mean waitTime?'],
  ])('%s: %s', async (name, said) => {
    const error = await ground.locks
      .getLock('x')
      .lock({ [name]: 1 })
      .catch(String);
    expect(error).toContain(said);
  });

  test('what shapes the module is refused in the options of a factory, with its place', async () => {
    const module = DistributedLockTestingModule.forRootAsync({
      useFactory: () => ({ name: 'second' }) as object,
    });
    await expect(Test.createTestingModule({ imports: [module] }).compile()).rejects.toThrow(
      'name belongs next to useFactory',
    );
  });

  test('options with the properties of their prototype are checked, too', async () => {
    const options = Object.create({ leasetime: '5s' });
    await expect(ground.locks.getLock('x').lock(options)).rejects.toThrow('did you mean leaseTime?');
  });

  test('callbacks may be an instance of a class with more in it', async () => {
    class Listener {
      readonly seen: string[] = [];
      acquired({ lock }: { readonly lock: string }): void {
        this.seen.push(lock);
      }
    }
    const listener = new Listener();
    const end = ground.locks.events.listen(listener);
    await ground.locks.using('heard', () => undefined);
    end();
    expect(listener.seen).toEqual(['heard']);
  });
});
