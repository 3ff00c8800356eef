import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import type { GuardEntry } from './guard.registry.js';
import {
  closeFire,
  directCall,
  holdOpen,
  markFire,
  outsideFires,
  takeCall,
  type Fire,
  type FireProof,
  type OpenFire,
} from './schedule.fires.js';

const job = { name: 'job' };

function guardOf(where: string): GuardEntry {
  const options = {};
  return {
    where,
    methodKey: where,
    decorator: '@',
    key: where,
    namesOf: () => where,
    returns: 'promise',
    skips: undefined,
    options,
    guarded: options,
  };
}

const RUN = guardOf('run');
const OTHER = guardOf('other');
const tick = { run: async (work: () => unknown) => await work() };

/** A fire for one guard of one instance, which notes how its call was recognised. */
function fireFor(guard: GuardEntry, instance: object = job): Fire & { readonly proofs: FireProof[] } {
  const proofs: FireProof[] = [];
  return {
    proofs,
    tickOf: (asked, called) => (asked === guard && called === instance ? tick : undefined),
    taken: (proof) => proofs.push(proof),
  };
}

test('a call outside any fire is a direct one', () => {
  expect(takeCall(RUN, job)).toBe('direct');
});

test('the first call in a fire is the tick, and the second one is not', () => {
  const fire = fireFor(RUN);
  markFire(fire, () => {
    expect(takeCall(RUN, job)).toBe(tick);
    expect(takeCall(RUN, job)).toBe('direct');
  });
  expect(takeCall(RUN, job)).toBe('direct');
  expect(fire.proofs).toEqual(['stack']);
});

test('a call in the context of a fire is the tick also after something was awaited', async () => {
  const fire = fireFor(RUN);
  await markFire(fire, async () => {
    await Promise.resolve();
    expect(takeCall(RUN, job)).toBe(tick);
  });
  expect(fire.proofs).toEqual(['context']);
});

test('a call out of the context of a fire is the tick while its callback is on the stack', () => {
  const before = AsyncLocalStorage.snapshot();
  const fire = fireFor(RUN);
  markFire(fire, () => before(() => expect(takeCall(RUN, job)).toBe(tick)));
  expect(fire.proofs).toEqual(['stack']);
});

test('a fire is not used up by the call of a method that it is not for', () => {
  markFire(fireFor(RUN), () => {
    expect(takeCall(OTHER, job)).toBe('direct');
    expect(takeCall(RUN, {})).toBe('direct');
    expect(takeCall(RUN, job)).toBe(tick);
  });
});

test('what the work of a tick calls is direct, however late', async () => {
  await markFire(fireFor(RUN), async () => {
    await outsideFires(async () => {
      expect(takeCall(RUN, job)).toBe('direct');
      await Promise.resolve();
      expect(takeCall(RUN, job)).toBe('direct');
    });
    expect(takeCall(RUN, job)).toBe(tick);
  });
});

test('the marks of two module instances hold around each other', () => {
  const other = {};
  markFire(fireFor(RUN), () =>
    markFire(fireFor(OTHER, other), () => {
      expect(takeCall(RUN, job)).toBe(tick);
      expect(takeCall(OTHER, other)).toBe(tick);
      expect(takeCall(RUN, job)).toBe('direct');
    }),
  );
});

test('a call that is declared direct is direct in a fire too, once for each method', () => {
  markFire(fireFor(RUN), () => {
    expect(directCall(() => [takeCall(RUN, job), takeCall(OTHER, job)])).toEqual(['direct', 'direct']);
    expect(takeCall(RUN, job)).toBe(tick);
  });
});

test('a call that nothing ties to a fire is put to the open ones, until they are closed', () => {
  const unclear: OpenFire = { ...fireFor(RUN), guess: () => 'unclear' };
  const open: OpenFire = { ...fireFor(RUN), guess: () => tick };
  holdOpen(RUN, unclear);
  expect(takeCall(RUN, job)).toBe('unclear');
  expect(takeCall(OTHER, job)).toBe('direct');
  expect(directCall(() => takeCall(RUN, job))).toBe('direct');
  holdOpen(RUN, open);
  expect(takeCall(RUN, job)).toBe(tick);
  closeFire(RUN, open);
  closeFire(RUN, unclear);
  expect(takeCall(RUN, job)).toBe('direct');
});
