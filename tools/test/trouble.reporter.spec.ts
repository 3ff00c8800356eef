import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ROOT } from '../build/node.runner.mjs';
import TroubleReporter from './trouble.reporter.mjs';

async function report(...errors: object[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'troubles-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  vi.stubEnv('SUITE_FAILURES', join(folder, 'troubles.txt'));
  new TroubleReporter().onTestRunEnd([], errors);
  return await readFile(join(folder, 'troubles.txt'), 'utf8');
}

test('tells what went wrong outside of the tests, while which one ran, and from where it came', async () => {
  const text = await report(
    {
      message: 'Connection is closed.',
      stack: 'Error: Connection is closed.\n    at close (redis.js:1:2)\n    at emit (events.js:3:4)',
      VITEST_TEST_PATH: join(ROOT, 'test/waiting/a.spec.ts'),
      VITEST_TEST_NAME: 'a waiter',
    },
    { message: 'two\nlines', VITEST_TEST_PATH: join(ROOT, 'test/waiting/b.spec.ts') },
    {},
  );
  expect(text.trimEnd().split('\n')).toEqual([
    'unhandled: Connection is closed. | during test/waiting/a.spec.ts > a waiter | at close (redis.js:1:2) | at emit (events.js:3:4)',
    'unhandled: two lines | during test/waiting/b.spec.ts',
    'unhandled: an error',
  ]);
});
