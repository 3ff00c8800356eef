import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { lacking } from './docs.tools.js';

/** For each rule of the word list, in its order, a sentence that it refuses. */
const WORDS = [
  'The lock goes to whoever waits longest.',
  'At first nobody holds the lock.',
  'The waiter is told of the release.',
  'The library looks whether the lock is held.',
  'Redis needs the least user of all.',
  'The other process hears of it.',
  'A hand-over takes a millisecond.',
  'The holder hands over the lock.',
  'You simply add the decorator.',
  'Wait in order to get the lock.',
  'The library says it aloud.',
  'The lock can be had.',
  'The process asks in vain.',
  'The lock is thus free.',
  'This utilizes a lease.',
  'A hand-off is very fast.',
];
const LONG = `This sentence ${'goes on and on '.repeat(25)}without an end.`;
const MISSPELT = 'The lock is aquired.';
/** A word of the list outside of a plain sentence. */
const ELSEWHERE = [
  '# Hand over',
  '> At first nobody holds the lock.',
  '- **Whoever** waits longest.',
  'The test is _nobody waits_.',
  'See [the least user](security.md).',
];
const FINE = [
  'A waiter is notified when the lock is released. `nobody` is a user of the database.',
  'A handed-over run continues. The option `handOver` bounds the hand-offs between waiters whose lock is released.',
  'See [the least-privilege user](security.md#the-least-privilege-user).',
];

describe.skipIf(lacking !== undefined)('the prose linter', { timeout: scaled(120_000) }, () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'prose-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test('finds nothing on the pages of the documentation', () => {
    expect(lint()).toEqual({ status: 0, output: 'the prose is clean' });
  });

  test('refuses a planted sentence of each rule, and no other', () => {
    const rules = readFileSync('tools/docs/prose/words.yml', 'utf8').match(/^ {2}- pattern:/gm);
    expect(rules?.length).toBe(WORDS.length);
    const sentences = [...WORDS, LONG, MISSPELT, ...ELSEWHERE, ...FINE];
    const page = join(folder, 'page.md');
    writeFileSync(page, sentences.join('\n\n'));
    const { status, output } = lint(page);
    expect(status).toBe(1);
    const refused = new Set(
      [...output.matchAll(/page\.md:(?<line>\d+):/g)].map(({ groups }) => (Number(groups?.['line']) - 1) / 2),
    );
    expect(sentences.filter((_, index) => !refused.has(index))).toEqual(FINE);
  });
});

function lint(...files: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['tools/docs/prose/lint-prose.mjs', ...files],
    { encoding: 'utf8' },
  );
  return { status, output: `${stdout}${stderr}`.trim() };
}
