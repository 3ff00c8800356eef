import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { link } from '../../tools/matrix/installs.mjs';
import { ObservedProcess } from '../support/observed.process.js';
import { scaled } from '../support/slowness.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LOST_CONTEXT = fileURLToPath(new URL('lost.context.mjs', import.meta.url));
const LIMIT = scaled(60_000);

const run = promisify(execFile);

/** A copy outside of the repository, with the packages of this one in place of those of the registry. */
async function copyOfPlayground(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'playground-'));
  await cp(join(ROOT, 'sample-app/playground'), folder, {
    recursive: true,
    filter: (path) => !/\/(?:dist|node_modules)$/.test(path),
  });
  const { dependencies, devDependencies } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  ) as Record<'dependencies' | 'devDependencies', Record<string, string>>;
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    const target = name === 'nestjs-distributed-lock' ? ROOT : join(ROOT, 'node_modules', name);
    await link(target, join(folder, 'node_modules', name));
  }
  return folder;
}

describe('the playground', () => {
  let folder: string;
  let app: ObservedProcess | undefined;

  beforeAll(async () => {
    folder = await copyOfPlayground();
    await run(process.execPath, ['node_modules/typescript/bin/tsc'], { cwd: folder });
  }, LIMIT);

  afterEach(async () => {
    await app?.kill();
    app = undefined;
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function start(...nodeArgs: string[]): Promise<{ url: string; started: ObservedProcess }> {
    const started = new ObservedProcess([...nodeArgs, 'dist/main.js'], { PORT: '0', NO_COLOR: '1' }, folder);
    app = started;
    const url = await vi.waitFor(
      () => {
        const port = /Open http:\/\/\S+:(\d+)/.exec(started.output)?.[1];
        if (port === undefined) throw new Error(started.output);
        return `http://localhost:${port}`;
      },
      { timeout: scaled(20_000), interval: 50 },
    );
    return { url, started };
  }

  test.each<[string, string[]]>([
    ['Node', []],
    ['a WebContainer, where a context ends at an await', ['--import', LOST_CONTEXT]],
  ])(
    'runs each tick once without Redis, refuses a second report, and shows its job, on %s',
    async (_where, nodeArgs) => {
      const { url, started } = await start(...nodeArgs);
      const ticks = () =>
        [...started.output.matchAll(/tick (\S+) runs on instance (?:one|two)/g)].map(([, tick]) => tick);
      const answers = await Promise.all([fetch(`${url}/report`), fetch(`${url}/report`)]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 423]);
      await vi.waitFor(() => expect(ticks().length).toBeGreaterThanOrEqual(3), {
        timeout: scaled(20_000),
        interval: 50,
      });
      expect(new Set(ticks()).size).toBe(ticks().length);
      expect((await fetch(`${url}/locks`)).status).toBe(200);
      expect(started.output).not.toMatch(/ WARN | ERROR /);
    },
    LIMIT,
  );

  test(
    'passes its own test',
    async () => {
      const { stdout } = await run(
        process.execPath,
        ['node_modules/vitest/vitest.mjs', 'run', '--dir', 'dist'],
        { cwd: folder, env: { PATH: process.env['PATH'], NO_COLOR: '1' } },
      );
      expect(stdout).toContain('1 passed');
    },
    LIMIT,
  );
});
