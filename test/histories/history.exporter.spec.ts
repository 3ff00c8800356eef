import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HoldRecord } from './hold.record.js';
import { operationsOf, writeHistory } from './history.exporter.js';

const HOLD: HoldRecord = {
  client: '0.0',
  kind: 'mutex',
  keys: ['stock'],
  owner: 'a:1',
  call: 10,
  held: 20,
  until: 100,
  answered: 110,
};

function spansOf(record: HoldRecord) {
  return operationsOf([record]).map((each) => [each.op, each.key, each.call, each.return]);
}

describe('the operations of a hold', () => {
  test('are an acquisition until it is believed in, and a release from the end of this belief to its answer', () => {
    expect(operationsOf([HOLD])).toEqual([
      { client: '0.0', kind: 'mutex', key: 'stock', owner: 'a:1', op: 'acquire', call: 10, return: 20 },
      { client: '0.0', kind: 'mutex', key: 'stock', owner: 'a:1', op: 'release', call: 100, return: 110 },
    ]);
  });

  test('have no answer to a release that was not answered', () => {
    expect(spansOf({ ...HOLD, answered: Infinity })).toContainEqual(['release', 'stock', 100, Infinity]);
  });

  test('are only the acquisition where the history ends before the belief', () => {
    expect(spansOf({ ...HOLD, until: Infinity, answered: Infinity })).toEqual([['acquire', 'stock', 10, 20]]);
  });

  test('are those of each member of a multi lock', () => {
    expect(spansOf({ ...HOLD, keys: ['stock', 'cart'] })).toEqual([
      ['acquire', 'stock', 10, 20],
      ['acquire', 'cart', 10, 20],
      ['release', 'stock', 100, 110],
      ['release', 'cart', 100, 110],
    ]);
  });

  test('include re-entries, with the tokens of their grants, which end with the hold at the latest', () => {
    const inner = { call: 30, held: 35, until: 40, answered: 45, token: '8' };
    const late = { call: 60, held: 65, until: 500, answered: 520, token: '9' };
    const operations = operationsOf([{ ...HOLD, kind: 'fenced', token: '7', reentries: [inner, late] }]);
    expect(operations.map(({ op, call, owner, token }) => [op, call, owner, token])).toEqual([
      ['acquire', 10, 'a:1', '7'],
      ['acquire', 30, 'a:1', '8'],
      ['release', 40, 'a:1', undefined],
      ['acquire', 60, 'a:1', '9'],
      ['release', 100, 'a:1', undefined],
      ['release', 100, 'a:1', undefined],
    ]);
  });

  test('may be over from the instant at which the store lost the hold', () => {
    expect(spansOf({ ...HOLD, lostFrom: 50 })).toContainEqual(['release', 'stock', 50, 110]);
    expect(spansOf({ ...HOLD, lostFrom: 200 })).toContainEqual(['release', 'stock', 100, 110]);
  });

  test('last for whole µs, and never end before they begin', () => {
    expect(spansOf({ ...HOLD, call: 10.6, held: 10.2, until: 99.9, answered: 99.1 })).toEqual([
      ['acquire', 'stock', 10, 11],
      ['release', 'stock', 99, 100],
    ]);
  });
});

test('a history is written one operation a line, in the order of the calls, and an unknown answer is null', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'histories-'));
  try {
    const path = join(folder, 'of', 'run.jsonl');
    const permit = { ...HOLD, kind: 'permits', call: 5, room: 3, places: 1, answered: Infinity } as const;
    await writeHistory(path, [HOLD, { ...permit, keys: ['places'] }]);
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    expect(lines[0]).toBe(
      '{"client":"0.0","kind":"permits","key":"places","owner":"a:1","room":3,"places":1,"op":"acquire","call":5,"return":20}',
    );
    expect(lines.map((line) => Object(JSON.parse(line)).return)).toEqual([20, 20, 110, null]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
