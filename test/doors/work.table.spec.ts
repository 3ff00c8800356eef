import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { LASTING_KINDS } from '../../libs/distributed-lock/src/work/lasting.work.js';
import { PublicApi } from '../mistakes/public.api.js';
import { scaled } from '../support/slowness.js';
import { NO_WORK, ROWS, WORK } from './work.answers.js';
import { DOORS } from './work.doors.js';
import { PIECES } from './work.pieces.js';

const unique = (names: readonly string[]) => [...new Set(names)].toSorted();

describe('the doors', () => {
  let api: string[];
  beforeAll(() => {
    api = new PublicApi().functionDoors();
  }, scaled(60_000));

  test('every function that the public API takes is work, or has a reason why it is none', () => {
    expect([...Object.keys(WORK), ...Object.values(NO_WORK).flat()].toSorted()).toEqual(api);
  });

  test('each of them is tried with every piece, and no other', () => {
    expect(unique(Object.values(WORK).flatMap(({ doors }) => doors))).toEqual(unique(Object.keys(DOORS)));
  });
});

describe('docs/locks.md', () => {
  const [, rest = ''] = readFileSync('docs/locks.md', 'utf8').split('\n## How long a lock is held\n');
  const [section = ''] = rest.split('\n## ');
  /** The cells of each row of the table with that head. */
  const rowsOf = (head: string): string[][] => {
    const [, table = ''] = section.split(`| ${head}`);
    const [own = ''] = table.split('\n\n');
    const [, , ...rows] = own.split('\n').map((row) => row.split('|').slice(1, -1));
    return rows.map((cells) => cells.map((cell) => cell.trim()));
  };

  test('names each door, and no other', () => {
    const named = rowsOf('Work of').flatMap(([first = '']) =>
      [...first.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    );
    const work = Object.values(WORK).map(({ page }) => page);
    expect(unique(named)).toEqual(unique(work));
  });

  test.each(LASTING_KINDS)('states until when a lock is held for: %s', (kind) => {
    const rows = rowsOf('The work returns').filter(([first = '']) => first.includes(ROWS[kind]));
    expect(rows).not.toEqual([]);
    const said = rows.map(([, until, gets]) =>
      until === '–' && gets?.includes('NOT_ASYNC') ? 'refused' : 'held',
    );
    const fates = Object.values(PIECES).flatMap(({ lasting, fate }) => (lasting === kind ? [fate] : []));
    // A ReadableStream has a second row: for one that something else reads.
    expect(unique(said)).toEqual(expect.arrayContaining(unique(fates)));
    expect(unique(fates)).toHaveLength(1);
  });
});
