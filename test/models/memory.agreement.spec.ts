import { array, assert as expectAlways, asyncProperty, nat, noBias, tuple } from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { toBytes } from '../../libs/distributed-lock/src/memory/memory.scripts.js';
import { scaled } from '../support/slowness.js';
import { MemoryModelStore } from './memory.model.store.js';
import { ModelStore } from './model.store.js';
import {
  CallMaker,
  CHANNEL,
  HOLDERS,
  knownScripts,
  type KnownScript,
  type ScriptCall,
} from './script.calls.js';
import { differenceOf } from './rough.equality.js';

const SEED = Number(process.env['MODEL_SEED'] || Math.floor(Math.random() * 2 ** 31));
/** Calls of all families together. */
const STEPS = Number(process.env['MODEL_STEPS'] || 12_000);
/** What is left of a time is rounded to it when time passes, in ms. */
const GRAIN = 3000;
/** In ms: less than half a grain. */
const STALL = 1000;
/** Full grains. */
const PASSES = [21_000, 42_000, 99_000, 309_000];

/** Scripts that work on the same keys. */
const FAMILIES: Readonly<Record<string, RegExp>> = {
  're-entrant locks': /^(?:reentrant|renewal|fenced)\//,
  'fair locks': /^(?:fair|renewal)\//,
  'read/write locks': /^(?:read|write)\//,
  'semaphores of permits': /^permit\//,
  'semaphores and latches': /^(?:semaphore|latch|call)\//,
  ticks: /^tick\//,
  'lists of jobs and instances': /^(?:job|instance)\//,
};

/** Listened to, so that messages are compared, and counted. */
const CHANNELS = [CHANNEL, `${CHANNEL}:a`, `${CHANNEL}:a:1`, `${CHANNEL}:b:1`];

let real: ModelStore;
let all: KnownScript[];
beforeAll(async () => {
  all = await knownScripts();
  real = await ModelStore.open(inject('redisUrl'), ['m:*', '{m:*', '*m:two {x}*'], CHANNELS);
});
afterAll(() => real.close());

/** What happens to keys from outside. */
const DAMAGES: readonly ((key: string, memory: MemoryModelStore) => Promise<unknown>)[] = [
  async (key, { store }) => {
    store.keys.delete(toBytes(key));
    await real.redis.del(key);
  },
  async (key, { store }) => {
    store.keys.delete(toBytes(key));
    store.keys.open(toBytes(key), 'string').value = '12x';
    await real.redis.set(key, '12x');
  },
  async (key, { store }) => {
    store.keys.delete(toBytes(key));
    store.keys.open(toBytes(key), 'hash').set('mode', 'read');
    await real.redis.multi().del(key).hset(key, 'mode', 'read').exec();
  },
  async (key, { store }) => {
    store.keys.delete(toBytes(key));
    store.keys.open(toBytes(key), 'list').push(...HOLDERS.map(toBytes));
    await real.redis
      .multi()
      .del(key)
      .rpush(key, ...HOLDERS)
      .exec();
  },
  async (key, { store }) => {
    // Somebody at the end of a queue, of whom nothing else is known.
    if (store.keys.typeOf(toBytes(key)) !== 'list') return;
    store.keys.open(toBytes(key), 'list').push('a:2');
    await real.redis.rpush(key, 'a:2');
  },
  async (key, { store }) => {
    // What is no place, in front of all places.
    if (store.keys.typeOf(toBytes(key)) !== 'zset') return;
    store.keys.open(toBytes(key), 'zset').set('stranger', 1);
    await real.redis.zadd(key, 1, 'stranger');
  },
];

/** Small numbers are no more likely than others: they are places in lists. */
const step = noBias(tuple(nat(), array(nat(), { minLength: 24, maxLength: 24 })));

async function play(
  scripts: readonly KnownScript[],
  steps: readonly (readonly [number, readonly number[]])[],
): Promise<void> {
  await real.clear();
  const memory = new MemoryModelStore(CHANNELS);
  const base = Date.now();
  let last: ScriptCall | undefined;
  for (const [at, [choice, numbers]] of steps.entries()) {
    const [what = 0, which = 0] = numbers;
    if (what % 12 === 0) {
      const ms = PASSES[which % PASSES.length] ?? 0;
      memory.advance(ms, GRAIN);
      await real.advance(ms, GRAIN);
      continue;
    }
    if (what % 25 === 1 && last !== undefined) {
      const queue = last.keys.find((key) =>
        ['list', 'zset'].includes(memory.store.keys.typeOf(toBytes(key)) ?? ''),
      );
      const damage = DAMAGES[which % DAMAGES.length];
      await damage?.(
        (choice % 2 === 0 ? queue : undefined) ?? last.keys[choice % last.keys.length] ?? '',
        memory,
      );
      continue;
    }
    const chosen = scripts[choice % scripts.length];
    if (chosen === undefined) throw new Error('no scripts');
    const call = new CallMaker(numbers, base).call(chosen);
    last = call;
    if (!(await agree(memory, call, `call ${at + 1}`))) return;
  }
}

/** @returns false where the two stores' times differ, and tell nothing */
async function agree(memory: MemoryModelStore, call: ScriptCall, where: string): Promise<boolean> {
  const began = performance.now();
  const [found, expected] = [
    await memory.run(call.script, call.keys, call.args),
    await real.run(call.script, call.keys, call.args).catch(async (error: unknown) => ({
      reply: String(error),
      messages: [],
      after: await real.dump.read(),
    })),
  ];
  if (performance.now() - began > STALL) return false;
  const difference = differenceOf(found, expected);
  if (difference === undefined) return true;
  throw new Error(
    `${where}, ${call.script.name} ${JSON.stringify([call.keys, call.args])}, MODEL_SEED=${SEED}: ${difference}\nin memory ${JSON.stringify(found)}\nin Redis ${JSON.stringify(expected)}`,
  );
}

test.each(Object.entries(FAMILIES))(
  'the store in memory answers, publishes and keeps what Redis does: %s',
  async (_name, pattern) => {
    const scripts = all.filter(({ script }) => pattern.test(script.name));
    const done = { steps: 0 };
    const property = asyncProperty(array(step, { minLength: 5, maxLength: 80 }), async (steps) => {
      done.steps += steps.length;
      await play(scripts, steps);
    });
    const share = STEPS / Object.keys(FAMILIES).length;
    for (let seed = SEED; done.steps < share; seed += 1)
      await expectAlways(property, { seed, numRuns: 20, endOnFailure: true });
    expect(done.steps).toBeGreaterThanOrEqual(share);
  },
  scaled(120_000),
);

test('every script belongs to a family', () => {
  const rest = all.filter(
    ({ script }) => !Object.values(FAMILIES).some((pattern) => pattern.test(script.name)),
  );
  expect(rest.map(({ script }) => script.name)).toEqual([]);
});

test.each([
  ['the last member by its score comes before the page', 'one'],
  ['the last member by its score is on the page', 'a'],
])('a list of jobs whose scores differ is read as Redis reads it: %s', async (_name, after) => {
  const script = all.find((each) => each.script.name === 'job/list')?.script;
  if (script === undefined) throw new Error('no such script');
  await real.clear();
  const memory = new MemoryModelStore(CHANNELS);
  const key = 'm:one:jobs';
  await real.redis.zadd(key, -2, 'two', -1, 'one');
  const list = memory.store.keys.open(toBytes(key), 'zset');
  list.set('two', -2).set('one', -1);
  expect(await agree(memory, { script, keys: [key], args: [after, '10'] }, 'the call')).toBe(true);
});
