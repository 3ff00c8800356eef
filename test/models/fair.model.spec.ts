import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { assert as expectAlways, asyncProperty } from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { lockChannel } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { scaled } from '../support/slowness.js';
import { fairKeysOf } from './fair.actions.js';
import { FairInvariants } from './fair.invariants.js';
import { moves, WAITS, type Move } from './fair.moves.js';
import { FairPlay } from './fair.play.js';
import { ModelStore } from './model.store.js';

/** Set both to the values of a failure to see it again. */
const SEED = Number(process.env['MODEL_SEED'] || Math.floor(Math.random() * 2 ** 31));
const STEPS = Number(process.env['MODEL_STEPS'] || 50_000);

const LOCK = `model:${randomUUID()}`;
let store: ModelStore;

beforeAll(async () => {
  store = await ModelStore.open(
    inject('redisUrl'),
    Object.values(fairKeysOf(LOCK)),
    Object.keys(WAITS).map((holder) => `${lockChannel(LOCK)}:${holder}`),
  );
});
afterAll(() => store.close());

/** Makes the difference readable, and costs little where there is none. */
function expectSame(found: unknown, expected: unknown, where: () => string): void {
  if (!isDeepStrictEqual(found, expected)) expect(found, where()).toEqual(expected);
}

/** @returns how many of the moves somebody made */
async function play(run: readonly Move[], isWhole: boolean): Promise<number> {
  await store.clear();
  const game = new FairPlay(store, LOCK);
  const invariants = new FairInvariants(game.keys);
  let made = 0;
  for (const [at, move] of run.entries()) {
    const played = await game.make(move);
    if (played === undefined) continue;
    made += 1;
    const where = () => `move ${at + 1}, ${JSON.stringify(move)}, of MODEL_SEED=${SEED} MODEL_STEPS=${STEPS}`;
    expectSame(played.found, played.expected, where);
    if (isWhole) expectSame(invariants.broken(played), [], where);
  }
  return made;
}

describe('whatever five holders of two languages do to a fair lock', () => {
  test.each([
    ['', true, 0.75],
    [', and whatever happens to its keys', false, 0.25],
  ])(
    'the store is as the model predicts after each step%s',
    async (_what, isWhole, share) => {
      const began = performance.now();
      const walked = { steps: 0 };
      for (let seed = SEED; walked.steps < STEPS * share; seed += 1) {
        const property = asyncProperty(moves(!isWhole), async (run) => {
          walked.steps += await play(run, isWhole);
        });
        await expectAlways(property, { seed, numRuns: Math.ceil((STEPS * share) / 400) });
      }
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      console.log(
        `fair model: ${walked.steps} steps in ${seconds} s, MODEL_SEED=${SEED} MODEL_STEPS=${STEPS}`,
      );
    },
    scaled(60_000 + 3 * STEPS),
  );
});
