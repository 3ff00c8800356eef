import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PublicApi } from '../mistakes/public.api.js';
import { MEASURED, MEASURED_FLAGS, NOT_MEASURED } from './measured.times.js';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

/** The quote and the comma are those of a call of `test` or `describe`, whatever stands before the name. */
function hasTest(source: string, name: string): boolean {
  return [`'${name}',`, `"${name}",`].some((text) => source.includes(text));
}

/** The compiler takes seconds: at load, where no test has a deadline. */
const TIMES = new PublicApi().times();

test('every time of the public API is measured from the call that a user makes, or has a reason why not', () => {
  const known = [...Object.keys(MEASURED), ...Object.keys(NOT_MEASURED)];
  expect(known.toSorted()).toEqual(TIMES);
});

test('every time of the command line is measured', () => {
  const source = read('../../libs/distributed-lock/src/command-line/command.line.ts');
  const flags = [...source.matchAll(/\bduration\('(\w+)'/g)].map(([, flag]) => flag);
  expect(Object.keys(MEASURED_FLAGS).toSorted()).toEqual(flags.toSorted());
});

test.each([...Object.entries(MEASURED), ...Object.entries(MEASURED_FLAGS)])(
  'the test that measures %s is there',
  (_, measurement) => {
    expect(hasTest(read(`../${measurement.file}`), measurement.test)).toBe(true);
  },
);
