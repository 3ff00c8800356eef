import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { compileBlocks, readBlocks } from './code.blocks.js';

const folder = resolve('dist/docs/testing');
/** The compiled files only. */
const CONFIG = "export default { test: { include: ['*.spec.js'] } };\n";
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');

test(
  'the tests of docs/testing.md compile, and pass in Vitest without Redis',
  async () => {
    expect(compileBlocks(readBlocks('docs/testing.md'), folder)).toEqual([]);
    writeFileSync(join(folder, 'vitest.config.mjs'), CONFIG);
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [vitest, 'run', '--root', folder, '--reporter', 'json'],
      { env: { ...process.env, NODE_ENV: 'test', REDIS_URL: 'redis://127.0.0.1:1' } },
    );
    const report: unknown = JSON.parse(stdout.slice(stdout.indexOf('{')));
    expect(report).toMatchObject({ success: true, numPassedTests: 5 });
  },
  scaled(60_000),
);
