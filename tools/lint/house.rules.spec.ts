import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LintFixture } from './lint.fixture.js';

/** A case: what it shows, its file, the file's text, and what the finding names. */
type Case = readonly [title: string, file: string, text: string, expected: string];

const ONE = 'export const a = 1;\n';
const HAND_ON = "export { a } from './a.lock.js';\n";

const taking = (...names: string[]) =>
  `export const a = (${names.map((name) => `${name}: number`).join(', ')}) => ${names.join(' + ')};\n`;

const REFUSED: readonly Case[] = [
  ['any', 'src/locks/a.lock.ts', 'export const a = (x: any): unknown => x;\n', 'no-explicit-any'],
  [
    'a non-null mark',
    'src/locks/a.lock.ts',
    'export const a = (x?: string) => x!;\n',
    'no-non-null-assertion',
  ],
  [
    'as unknown as',
    'sample-app/a.app.ts',
    'export const a = (x: string) => x as unknown as number;\n',
    'assertion rule',
  ],
  ['a 301-line file', 'src/locks/a.lock.ts', '// why\n'.repeat(301), 'max-lines'],
  ['a 301-line sample', 'sample-app/a.app.ts', '// why\n'.repeat(301), 'max-lines'],
  ['five parameters', 'src/locks/a.lock.ts', taking('p', 'q', 'r', 's', 't'), 'max-params'],
  ['a 301-line script', 'lua/claim.lua', '-- why\n'.repeat(301), 'length rule: 301 lines'],
  ['a 301-line stylesheet', 'sample-app/a.css', 'a {}\n'.repeat(301), 'length rule: 301 lines'],
  ['a vague name of a component', 'sample-app/a.helper.tsx', ONE, 'name rule'],
  [
    'an unexplained suppression',
    'src/locks/a.lock.ts',
    `// oxlint-disable-next-line no-console\n${ONE}`,
    'suppression rule',
  ],
  ['a suppression of another linter', 'test/a.spec.ts', `/* eslint-disable */\n${ONE}`, 'suppression rule'],
  ['ts-ignore', 'test/a.spec.ts', `// @ts-ignore it is fine\n${ONE}`, 'suppression rule'],
  [
    'ts-expect-error in the library',
    'src/locks/a.lock.ts',
    `// @ts-expect-error a bug there\n${ONE}`,
    'suppression rule',
  ],
  ['ts-expect-error without a reason', 'test/a.spec.ts', `// @ts-expect-error\n${ONE}`, 'suppression rule'],
  ['a second barrel', 'src/locks/index.ts', HAND_ON, 'barrel rule'],
  ['a barrel by another name', 'src/locks/all.locks.ts', HAND_ON, 'barrel rule'],
  ['a star', 'src/locks/all.locks.ts', `export * from './a.lock.js';\n${ONE}`, 'barrel rule'],
  ['a vague name', 'src/locks/lock.utils.ts', ONE, 'name rule'],
  ['a private word in a file name', 'src/locks/lock.ledger.ts', ONE, 'word rule'],
  [
    'a private word in a member',
    'src/locks/a.lock.ts',
    'export class A {\n  hear(): void {}\n}\n',
    'word rule',
  ],
  ['a private word in a variable', 'src/locks/a.lock.ts', 'export const lastNews = 1;\n', 'word rule'],
  ['a clock beside the machine', 'src/locks/a.lock.ts', 'export const a = Date.now();\n', 'machine rule'],
  [
    'a clock by its global name',
    'src/locks/a.lock.ts',
    'export const a = globalThis.Date.now();\n',
    'machine rule',
  ],
  [
    'a clock by a name of its own',
    'src/locks/a.lock.ts',
    'const { now } = Date;\nexport const a = now();\n',
    'machine rule',
  ],
  [
    'randomness beside the machine',
    'src/locks/a.lock.ts',
    "import { randomUUID } from 'node:crypto';\nexport const a = randomUUID();\n",
    'machine rule',
  ],
  [
    'a timer beside the machine',
    'src/locks/a.lock.ts',
    'export const a = (run: () => void) => setTimeout(run, 1);\n',
    'machine rule',
  ],
  ['a name in capitals', 'src/locks/LockService.ts', ONE, 'name rule'],
];

const ALLOWED: readonly Case[] = [
  ['four parameters', 'src/locks/a.lock.ts', taking('p', 'q', 'r', 's'), ''],
  ['300 lines', 'src/locks/a.lock.ts', ONE + '// why\n'.repeat(299), ''],
  [
    'a reasoned suppression',
    'test/a.spec.ts',
    `// oxlint-disable-next-line no-console -- it prints\n${ONE}`,
    '',
  ],
  ['a reasoned ts-expect-error', 'test/a.spec.ts', `// @ts-expect-error no such option\n${ONE}`, ''],
  ['the barrel', 'src/index.ts', "export { a } from './locks/a.lock.js';\n", ''],
  ['words in a string', 'test/a.spec.ts', "export const a = '// @ts-ignore';\n", ''],
];

const fixture = new LintFixture();

beforeAll(() => {
  for (const [title, file, text] of [...REFUSED, ...ALLOWED]) fixture.write(title, file, text);
  for (const [title, imports] of [
    ['circle of values', 'import'],
    ['circle of types', 'import type'],
  ] as const) {
    const a = `${imports} { b } from './b.lock.js';\nexport const a = (): typeof b => 1;\n`;
    const b = `${imports} { a } from './a.lock.js';\nexport const b = 1;\nexport type A = typeof a;\n`;
    fixture.write(title, 'src/locks/a.lock.ts', a);
    fixture.write(title, 'src/locks/b.lock.ts', b);
  }
  fixture.lint();
});

afterAll(() => fixture.remove());

describe('the house rules refuse', () => {
  it.each(REFUSED)('%s', (title, _file, _text, expected) => {
    expect(fixture.findingsOf(title)).toContainEqual(expect.stringContaining(expected));
  });

  it.each(['circle of values', 'circle of types'])('a %s', (title) => {
    expect(fixture.findingsOf(title)).toContainEqual(expect.stringContaining('no-cycle'));
  });

  it('with a failing exit code', () => {
    expect(fixture.bothFailed).toBe(true);
  });
});

describe('the house rules allow', () => {
  it.each(ALLOWED)('%s', (title) => {
    expect(fixture.findingsOf(title)).toEqual([]);
  });
});
