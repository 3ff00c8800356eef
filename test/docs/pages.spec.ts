import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { scaled } from '../support/slowness.js';
import { compileBlocks, findMissing, type Compilation } from './block.compiler.js';
import { readBlocks, type CodeBlock } from './code.blocks.js';
import { DocStage, load, type Loaded } from './doc.stage.js';
import { listPages } from './page.list.js';
import { READINGS } from './readings/readings.js';

const FOLDER = resolve('dist/docs/pages');

const blocks = listPages().flatMap(readBlocks);
const missing = findMissing(blocks);
const present = blocks.filter((block) => !missing.has(block));

let compilation: Compilation;
let stage: DocStage | undefined;

beforeAll(() => {
  compilation = compileBlocks(present, FOLDER);
}, scaled(60_000));

afterEach(async () => {
  await stage?.close();
  stage = undefined;
});

afterAll(() => {
  vi.unstubAllEnvs();
});

test('every block of code in the documentation compiles', () => {
  expect(present.length).toBeGreaterThan(0);
  expect(compilation.problems).toEqual([]);
});

test('every reading is of a block that is there, and that may be run', () => {
  const runnable = new Set(present.filter(({ use }) => use === 'run').map(nameOf));
  const readings = Object.entries(READINGS).flatMap(([page, files]) =>
    Object.keys(files).map((file) => `${page}: ${file}`),
  );
  expect(readings.filter((reading) => !runnable.has(reading))).toEqual([]);
});

describe('the code of a page runs', () => {
  for (const block of present.filter(({ use }) => use === 'run'))
    test(
      `${nameOf(block)}`,
      async () => {
        await expectItRuns(block);
      },
      scaled(30_000),
    );
});

describe('code of other packages', () => {
  for (const block of blocks.filter(({ use }) => use === 'other')) {
    const lacking = missing.get(block);
    const becomes = lacking === undefined ? 'compiles' : `is only shown: ${lacking} is not installed`;
    test.skipIf(lacking !== undefined)(`${nameOf(block)} ${becomes}`, () => {
      expect(compilation.problems.filter((problem) => problem.startsWith(`${block.page}:`))).toEqual([]);
    });
  }
});

async function expectItRuns(block: CodeBlock): Promise<void> {
  const script = compilation.scriptOf(block);
  stage = await DocStage.open(inject('redisUrl'));
  vi.stubEnv('REDIS_URL', stage.url);
  vi.stubEnv('REDIS_CA', resolve('package.json'));
  if (isTest(block)) return expectTestsPass(script);
  const exported = await loadPage(block);
  await READINGS[block.page]?.[block.file]?.(stage, exported);
}

/** What the page's blocks export, by file; those that need what is not installed are left out. */
async function loadPage(block: CodeBlock): Promise<Record<string, Loaded>> {
  const page: Record<string, Loaded> = { [block.file]: await load(compilation.scriptOf(block)) };
  for (const other of present)
    if (other.page === block.page && other.use === 'run' && !isTest(other) && page[other.file] === undefined)
      page[other.file] = await load(compilation.scriptOf(other));
  return page;
}

function isTest({ file }: CodeBlock): boolean {
  return /\.(?:spec|test)\.ts$/.test(file);
}

/** A block that is a test of the reader's is run by vitest, in a process of its own. */
function expectTestsPass(script: string): void {
  const root = dirname(script);
  const config = join(root, 'vitest.config.mjs');
  writeFileSync(
    config,
    'export default { test: { server: { deps: { external: [/\\/dist\\/esm\\//] } } } };\n',
  );
  const words = [
    resolve('node_modules/vitest/vitest.mjs'),
    'run',
    '--root',
    root,
    '--config',
    config,
    script,
  ];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  expect(status, `${stdout}\n${stderr}`).toBe(0);
}

function nameOf({ page, file }: CodeBlock): string {
  return `${page}: ${file}`;
}
