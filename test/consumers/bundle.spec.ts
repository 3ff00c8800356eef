import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterEach, expect, inject, test } from 'vitest';
import { scaled } from '../support/slowness.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Inside the project, so that Node finds what is left out of the bundle. */
const BUNDLE = join(ROOT, `dist/bundle.${process.pid}.mjs`);

afterEach(async () => {
  await rm(BUNDLE, { force: true });
});

test(
  'one bundle of an ES module application and a CommonJS library has both formats but one copy of the errors, and a busy lock is 423',
  async () => {
    const { metafile } = await build({
      entryPoints: [join(ROOT, 'test/consumers/bundle/application.mjs')],
      absWorkingDir: ROOT,
      outfile: BUNDLE,
      bundle: true,
      platform: 'node',
      format: 'esm',
      external: ['@nestjs/*', 'ioredis', 'ms', 'reflect-metadata', 'rxjs'],
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
      metafile: true,
      // The paths of the project's own would lead past the package.
      tsconfigRaw: {},
      logLevel: 'error',
    });
    const inputs = Object.keys(metafile.inputs);
    expect(inputs).toEqual(expect.arrayContaining(['dist/esm/index.js', 'dist/cjs/index.js']));
    const { stdout } = await promisify(execFile)(process.execPath, [BUNDLE], {
      env: { ...process.env, REDIS_URL: inject('redisUrl'), NAME_PREFIX: `bundle:${process.pid}:` },
      timeout: scaled(30_000),
    });
    expect(JSON.parse(stdout)).toEqual({
      copies: 1,
      free: { status: 200, text: 'ran' },
      busy: 423,
      isInstance: true,
    });
  },
  scaled(60_000),
);
