import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import {
  instanceLeave,
  instanceList,
  instanceReport,
} from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import { ProtocolStage } from './protocol.stage.js';

const TIME: unknown = expect.any(Number);

let stage: ProtocolStage;
let names: { readonly list: string; readonly one: string; readonly other: string; readonly beside: string };
beforeAll(() => {
  stage = ProtocolStage.open(inject('redisUrl'));
});
beforeEach(() => {
  const list = stage.names().lock;
  const beside = `${list}:instance:`;
  names = { list, beside, one: `${beside}one`, other: `${beside}other` };
});
afterAll(async () => {
  await stage.close();
});

const report = (client: 'one' | 'other', jobs = '', life: number | string = 60_000) =>
  stage.call(instanceReport, [names.list, names[client]], [client, life, `{"held":1}`, jobs]);
const list = (most: number | string = 10) => stage.call(instanceList, [names.list], [names.beside, most]);
const leave = (client: 'one' | 'other') => stage.call(instanceLeave, [names.list, names[client]], [client]);

test('instances are listed with what they have reported, the last one first', async () => {
  expect(await report('one', '[["a",1]]')).toEqual([1, TIME, 1]);
  const [, at, alive] = (await report('other', '[]')) as [number, number, number];
  expect(alive).toBe(2);
  await stage.redis.zadd(names.list, at - 5, 'one');
  expect(await list()).toEqual([
    1,
    TIME,
    ['other', `${at}`, '{"held":1}', '[]', 'one', `${at - 5}`, '{"held":1}', '[["a",1]]'],
  ]);
  expect(await list(1)).toEqual([1, TIME, ['other', `${at}`, '{"held":1}', '[]']]);
  await Promise.all([leave('one'), leave('other')]);
  expect(await list()).toEqual([1, TIME, []]);
  expect(await stage.redis.exists(names.list, names.one, names.other)).toBe(0);
});

test('a report without jobs keeps those of the report before', async () => {
  await report('one', '[["a",1]]');
  expect(await report('one')).toEqual([1, TIME, 1]);
  expect(((await list()) as unknown[])[2]).toContain('[["a",1]]');
  await leave('one');
});

test('a report without jobs is not noted where Redis has none', async () => {
  expect(await report('one')).toEqual([2, TIME]);
  expect(await stage.redis.exists(names.list, names.one)).toBe(0);
});

test('an instance that was silent for its life is gone, and the list with the last one', async () => {
  const [, at] = (await report('one', '[]')) as [number, number];
  // Its key has ended; the list still has it.
  await stage.redis.del(names.one);
  await stage.redis.zadd(names.list, at - 60_001, 'one');
  expect(await list()).toEqual([1, TIME, []]);
  await report('other', '[]');
  expect(await stage.redis.zrange(names.list, '0', '-1')).toEqual(['other']);
  for (const key of [names.list, names.other]) {
    const left = await stage.redis.pttl(key);
    expect(left).toBeGreaterThan(30_000);
    expect(left).toBeLessThanOrEqual(60_000);
  }
  await leave('other');
});

test.each([
  ['a life of 0', () => report('one', '[]', 0)],
  ['a life of more than a day', () => report('one', '[]', 86_400_001)],
  ['a list of no instance', () => list(0)],
  ['a list of 1,001', () => list(1001)],
])('%s is refused before anything is written', async (_, call) => {
  expect(await call()).toMatchObject([-1, expect.stringMatching(/^ERR /), 'none']);
  expect(await stage.redis.exists(names.list, names.one)).toBe(0);
});

test('keys of another type are refused by their names', async () => {
  await stage.redis.set(names.list, 'mine');
  for (const call of [() => report('one', '[]'), () => list(), () => leave('one')])
    expect(await call()).toMatchObject([-1, expect.stringMatching(/^WRONGTYPE/), 'string']);
  await stage.redis.del(names.list);
  await stage.redis.set(names.one, 'mine');
  expect(await report('one', '[]')).toMatchObject([-1, expect.stringContaining(names.one), 'string']);
  expect(await stage.redis.exists(names.list)).toBe(0);
  await stage.redis.del(names.one);
});
