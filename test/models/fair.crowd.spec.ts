import { randomUUID } from 'node:crypto';
import {
  array,
  assert as expectAlways,
  asyncProperty,
  boolean,
  constantFrom,
  dictionary,
  integer,
  oneof,
  record,
  type Arbitrary,
} from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { lockChannel } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { scaled } from '../support/slowness.js';
import { fairKeysOf } from './fair.actions.js';
import { FairCrowd, LIFE, SCALE, type Crowd } from './fair.crowd.js';
import { ModelStore } from './model.store.js';

/** Set seed and steps to the values of a failure to see it again, and the path too to see it at once. */
const SEED = Number(process.env['MODEL_SEED'] || Math.floor(Math.random() * 2 ** 31));
const STEPS = Number(process.env['MODEL_STEPS'] || 50_000);
const PATH = process.env['MODEL_PATH'];
const RUNS = Math.ceil(STEPS / 1000);

const LOCK = `crowd:${randomUUID()}`;
const SECOND = 1000 * SCALE;

const NODE = ['node-a', 'node-b', 'node-c'];
const JAVA = ['java-d', 'java-e'];
/** People in a crowd. */
const MOST = 14;

let store: ModelStore;
beforeAll(async () => {
  store = await ModelStore.open(
    inject('redisUrl'),
    Object.values(fairKeysOf(LOCK)),
    [...NODE, ...JAVA].flatMap((process) =>
      Array.from({ length: MOST }, (_, number) => `${lockChannel(LOCK)}:${process}:${number + 1}`),
    ),
  );
});
afterAll(() => store.close());

/** Waits and holds of all lengths, in every relation. */
function crowds(processes: readonly string[], mortals: readonly string[]): Arbitrary<Crowd> {
  const seconds = (max: number) => integer({ min: 0, max: max * 10 }).map((tenths) => (tenths * SECOND) / 10);
  const person = record({
    process: constantFrom(...processes),
    comes: seconds(60),
    wait: constantFrom(5 * SECOND, 30 * SECOND, 300 * SECOND),
    isGiven: boolean(),
    hold: oneof({ weight: 3, arbitrary: seconds(5) }, { weight: 1, arbitrary: seconds(90) }),
  });
  const deaths = mortals.length === 0 ? constantFrom({}) : dictionary(constantFrom(...mortals), seconds(120));
  return record({ people: array(person, { minLength: 1, maxLength: MOST, size: 'max' }), deaths });
}

/** Watches many crowds, and says where they can be seen again. */
async function expectOfAll(
  crowd: Arbitrary<Crowd>,
  check: (watched: FairCrowd) => Promise<void>,
): Promise<void> {
  let grants = 0;
  const property = asyncProperty(crowd, async (one) => {
    await store.clear();
    const watched = new FairCrowd(store, LOCK, one);
    await watched.play();
    expect(watched.waiting).toEqual([]);
    await check(watched);
    grants += watched.grants.length;
  });
  await expectAlways(property, { seed: SEED, numRuns: RUNS, ...(PATH && { path: PATH }) });
  console.log(`fair crowd: ${grants} grants to ${RUNS} crowds, MODEL_SEED=${SEED} MODEL_STEPS=${STEPS}`);
}

const TIMEOUT = scaled(60_000 + 3 * STEPS);

describe('clients that wait for a fair lock as the library does', () => {
  test(
    'have it in the order in which they came, at once, without asking much, and leave nothing',
    () =>
      expectOfAll(crowds(NODE, []), async ({ grants, attempts }) => {
        expect(grants.filter(({ passed, idle }) => passed.length > 0 || idle > SECOND / 2)).toEqual([]);
        expect(await store.dump.read()).toEqual({});
        // The shortest wait is 5 s: who declared it asks after half of it, at the earliest, unless he is told.
        const waited = grants.reduce((sum, grant) => sum + grant.waited, 0);
        expect(attempts).toBeLessThan(5 * grants.length + waited / (2 * SECOND));
      }),
    TIMEOUT,
  );

  test(
    'have it in that order while processes die: dead ones in front cost the time of a sign of life',
    () =>
      expectOfAll(crowds(NODE, NODE), async ({ grants }) => {
        expect(grants.filter(({ passed, idle }) => passed.length > 0 || idle > LIFE + SECOND)).toEqual([]);
      }),
    TIMEOUT,
  );

  test(
    'have it also with Java among them, which takes waiters out of the queue without a message',
    () =>
      expectOfAll(crowds([...NODE, ...JAVA], []), async ({ grants }) => {
        const ours = grants.filter(({ name }) => name.startsWith('node'));
        expect(ours.filter(({ idle }) => idle > 2 * SECOND)).toEqual([]);
      }),
    TIMEOUT,
  );
});
