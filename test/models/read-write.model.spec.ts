import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { assert, asyncProperty } from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { rwNames } from '../protocol/read-write.calls.js';
import { scaled } from '../support/slowness.js';
import { ModelStore, type Step as Found } from './model.store.js';
import { ReadWriteModel } from './read-write.model.js';
import { SITUATIONS } from './read-write.situations.js';
import { faultsOf, OneOf, pass, snapshotOf } from './read-write.state.js';
import {
  operationOf,
  RULES,
  sequencesOf,
  UNIT,
  type Fleet,
  type Rule,
  type Step,
} from './read-write.steps.js';
import { rounded } from './store.dump.js';

const SEED = Number(process.env['MODEL_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** Steps of each of the three fleets. */
const SHARE = Number(process.env['MODEL_STEPS'] ?? 50_000) / 3;
/** How often each situation has to be met at least; chance brings ten times as many. */
const ENOUGH = Math.floor(SHARE / 20_000);
/** Sequences of one round, which has a seed of its own. */
const SEQUENCES = 100;

const names = rwNames(`model:${randomUUID()}`);
/** How often each situation was met by the fleet of a test. */
const met = new Map<string, number>();
let store: ModelStore;
beforeAll(async () => {
  store = await ModelStore.open(inject('redisUrl'), [names.lock, names.suffix('*')], names.channel);
});
afterAll(() => store.close());

/** Times of a reply, as the model has them. */
function coarse(reply: unknown): unknown {
  if (Array.isArray(reply)) return reply.map(coarse);
  return typeof reply === 'number' && reply > UNIT / 4 ? Math.round((reply * 2) / UNIT) * (UNIT / 2) : reply;
}

/** Where the model lets any one of several holders be named: the one that was. */
function chosen(wanted: unknown, found: unknown): unknown {
  if (wanted instanceof OneOf) return wanted.holders.find((holder) => holder === found) ?? wanted.holders;
  if (!Array.isArray(wanted) || !Array.isArray(found)) return wanted;
  return wanted.map((value, index) => chosen(value, found[index]));
}

/** Makes the difference readable, and costs little where there is none. */
function expectSame(found: unknown, wanted: unknown): void {
  if (!isDeepStrictEqual(found, wanted)) expect(found).toEqual(wanted);
}

async function passTime(model: ReadWriteModel, ms: number): Promise<void> {
  const { after, messages } = await store.advance(ms);
  pass(model.state, ms);
  expectSame(
    { after: rounded(after, UNIT / 2), messages },
    { after: snapshotOf(model.state, names), messages: [] },
  );
}

function send(call: ReturnType<Rule['call']>): Promise<Found> {
  if (!('keys' in call)) return store.run(call.script, [names.lock], call.args(names));
  return store.run(call.script, call.keys(names), [...call.shared, ...call.args(names)]);
}

async function take(model: ReadWriteModel, step: Step): Promise<void> {
  const operation = operationOf(step, model);
  if (step.does === 'pass') return await passTime(model, operation.lease);
  const rule = RULES[step.does];
  if (rule === undefined) throw new Error(`there is no step "${step.does}"`);
  const call = rule.call(operation);
  const before = structuredClone(model.state);
  const found = await send(call);
  const wanted = rule.expect(model, operation);
  // The library's scripts answer a row per operation.
  const reply = coarse('keys' in call && Array.isArray(found.reply) ? found.reply[0] : found.reply);
  expectSame(
    { reply, messages: found.messages, after: rounded(found.after, UNIT / 2) },
    {
      reply: chosen(wanted.reply, reply),
      messages: wanted.messages.flatMap((payload) => {
        if (payload === '?' && found.messages.length === 0) return [];
        return [`${names.channel} ${payload === '?' ? '1' : payload}`];
      }),
      after: snapshotOf(model.state, names),
    },
  );
  const row: unknown = Array.isArray(wanted.reply) ? wanted.reply[0] : wanted.reply;
  for (const [name, isMet] of Object.entries(SITUATIONS))
    if (isMet({ before, does: step.does, operation, row })) met.set(name, (met.get(name) ?? 0) + 1);
  if (rule.isRepeatable) expectNothingNew(model, (again) => rule.expect(again, operation));
}

function expectNothingNew(model: ReadWriteModel, repeat: (again: ReadWriteModel) => unknown): void {
  const again = new ReadWriteModel();
  again.state = structuredClone(model.state);
  repeat(again);
  expectSame(again.state, model.state);
}

async function play(steps: readonly Step[], { java, isRough }: Fleet): Promise<void> {
  await store.clear();
  const model = new ReadWriteModel();
  for (const [index, step] of steps.entries()) {
    try {
      await take(model, step);
      if (!isRough) expectSame([...faultsOf(model.state, java.length === 0)], []);
    } catch (error) {
      throw new Error(`step ${index + 1}, ${JSON.stringify(step)}: ${String(error)}`, { cause: error });
    }
  }
}

test.each<[string, Fleet]>([
  ['this library alone', { node: ['N1', 'N2', 'N3', 'N4', 'N5'], java: [], isRough: false }],
  [
    'this library and a Java that keeps ttls',
    { node: ['N1', 'N2', 'N3'], java: ['J1', 'J2'], isRough: false },
  ],
  ['this library and Java as it is', { node: ['N1', 'N2', 'N3'], java: ['J1', 'J2'], isRough: true }],
])(
  'the scripts of the read/write lock do what the model does: %s',
  async (name, fleet) => {
    const start = performance.now();
    met.clear();
    const done = { steps: 0, rounds: 0 };
    const property = asyncProperty(sequencesOf(fleet), async (sequence) => {
      done.steps += sequence.length;
      await play(sequence, fleet);
    });
    for (; done.steps < SHARE; done.rounds += 1)
      await assert(property, { seed: SEED + done.rounds, numRuns: SEQUENCES });
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    console.log(`${name}: ${done.steps} steps in ${seconds} s, MODEL_SEED=${SEED}`);
    const rare = Object.keys(SITUATIONS).filter((situation) => (met.get(situation) ?? 0) < ENOUGH);
    expect(rare).toEqual([]);
    expect(done.steps).toBeGreaterThanOrEqual(SHARE);
  },
  scaled(300_000),
);
