import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import {
  jobDelist,
  jobEnlist,
  jobList,
} from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import { ProtocolStage } from './protocol.stage.js';

const TIME: unknown = expect.any(Number);

let stage: ProtocolStage;
let list: string;
beforeAll(() => {
  stage = ProtocolStage.open(inject('redisUrl'));
});
beforeEach(() => {
  list = stage.names().lock;
});
afterAll(() => stage.close());

const enlist = (entries: readonly unknown[] | string, most: number | string = 10_000) =>
  stage.call(jobEnlist, [list], [typeof entries === 'string' ? entries : JSON.stringify(entries), most]);
const page = (after = '', most: number | string = 1000) => stage.call(jobList, [list], [after, most]);

test('jobs are listed once, by name, in pages', async () => {
  expect(await enlist(['nightly', 'b\0app:b', 'hourly'])).toEqual([1, TIME]);
  expect(await enlist(['hourly', 'ümlaut'])).toEqual([1, TIME]);
  const all = ['b\0app:b', 'hourly', 'nightly', 'ümlaut'];
  expect(await page()).toEqual([1, TIME, all]);
  expect(await page('', 3)).toEqual([1, TIME, all.slice(0, 3)]);
  expect(await page('nightly', 3)).toEqual([1, TIME, all.slice(3)]);
  expect(await page('ümlaut')).toEqual([1, TIME, []]);
});

test('a page begins behind its entry, also if that was removed meanwhile', async () => {
  await enlist(['a', 'b', 'c']);
  expect(await stage.call(jobDelist, [list], ['b'])).toEqual([1, TIME]);
  expect(await stage.call(jobDelist, [list], ['b'])).toEqual([0, TIME]);
  expect(await page('b')).toEqual([1, TIME, ['c']]);
});

test('a full list takes no more, and keeps what it has', async () => {
  expect(await enlist(['a', 'b', 'c'], 2)).toEqual([0, TIME]);
  expect(await enlist(['b', 'a'], 2)).toEqual([1, TIME]);
  expect(await page()).toEqual([1, TIME, ['a', 'b']]);
});

test('nothing is left of a list without entries', async () => {
  await enlist(['a']);
  await stage.call(jobDelist, [list], ['a']);
  expect(await stage.redis.exists(list)).toBe(0);
  expect(await page()).toEqual([1, TIME, []]);
});

test.each([
  ['no entries', () => enlist([])],
  ['501 entries', () => enlist(Array.from({ length: 501 }, String))],
  ['what is no JSON', () => enlist('a')],
  ['a list of no size', () => enlist(['a'], 0)],
  ['a page of no size', () => page('', 0)],
  ['a page of 1,001', () => page('', 1001)],
])('%s is refused before anything is written', async (_, call) => {
  expect(await call()).toMatchObject([-1, expect.stringMatching(/^ERR /), 'none']);
  expect(await stage.redis.exists(list)).toBe(0);
});

test('a key of another type is refused by its name', async () => {
  await stage.redis.set(list, 'mine');
  for (const call of [() => enlist(['a']), () => page(), () => stage.call(jobDelist, [list], ['a'])])
    expect(await call()).toMatchObject([-1, expect.stringMatching(/^WRONGTYPE/), 'string']);
  expect(await stage.redis.get(list)).toBe('mine');
});
