/**
 * Unit-tests a decorated service in a project as `nest new` of Nest 11 makes it (CommonJS, Jest, ts-jest), without Redis: the
 * packed library, and the example of docs/testing.md, with the compiler options of early and of later versions. It installs Nest and
 * Jest, so it needs the registry.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, runNode } from '../build/node.runner.mjs';
import { runCommand } from '../redis/command.runner.mjs';

const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const PAGE = join(ROOT, 'docs/testing.md');
/** The longest that all tests of the file may take together, in ms. */
const LONGEST = 1000 * Number(process.env['TEST_SLOWNESS'] || 1);
/** A machine that is busy with other things is asked again. */
const LOOKS = 3;

/** What a new project of Nest 11 has, of what its unit tests need. */
const MANIFEST = {
  name: 'a-nest-11-app',
  private: true,
  scripts: { test: 'jest' },
  dependencies: {
    '@nestjs/common': '^11.0.1',
    '@nestjs/core': '^11.0.1',
    '@nestjs/schedule': '^6.0.0',
    ioredis: '^5.0.0',
    'reflect-metadata': '^0.2.2',
    rxjs: '^7.8.1',
  },
  devDependencies: {
    '@nestjs/testing': '^11.0.1',
    '@types/jest': '^30.0.0',
    '@types/node': '^22.10.7',
    jest: '^30.0.0',
    'ts-jest': '^29.2.5',
    typescript: '^5.7.3',
  },
  jest: {
    moduleFileExtensions: ['js', 'json', 'ts'],
    rootDir: 'src',
    testRegex: '.*\\.spec\\.ts$',
    transform: { '^.+\\.(t|j)s$': 'ts-jest' },
    testEnvironment: 'node',
  },
};
const COMPILER = {
  module: 'nodenext',
  moduleResolution: 'nodenext',
  resolvePackageJsonExports: true,
  esModuleInterop: true,
  isolatedModules: true,
  declaration: true,
  removeComments: true,
  emitDecoratorMetadata: true,
  experimentalDecorators: true,
  allowSyntheticDefaultImports: true,
  target: 'ES2023',
  sourceMap: true,
  outDir: './dist',
  baseUrl: './',
  incremental: true,
  skipLibCheck: true,
  strictNullChecks: true,
  forceConsistentCasingInFileNames: true,
  noImplicitAny: false,
  strictBindCallApply: false,
  noFallthroughCasesInSwitch: false,
};
/** Until early Nest 11: to TypeScript 5 it means `"moduleResolution": "node10"`, which knows no `exports`. */
const EARLY_COMPILER = {
  ...COMPILER,
  module: 'commonjs',
  moduleResolution: undefined,
  resolvePackageJsonExports: undefined,
};

/**
 * @param {string} folder
 * @param {object} compilerOptions
 */
function writeCompilerOptions(folder, compilerOptions) {
  return writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }, null, 2));
}

/** @param {string} folder */
async function fill(folder) {
  await mkdir(join(folder, 'src'));
  await writeFile(join(folder, 'package.json'), JSON.stringify(MANIFEST, null, 2));
  const page = await readFile(PAGE, 'utf8');
  for (const [, code = ''] of page.matchAll(/^```ts\n(.*?)^```$/gms)) {
    const [, file = ''] = /^\/\/ ([\w.-]+\.ts)\n/.exec(code) ?? [];
    // A project of CommonJS names its files without their ending.
    const source = code
      .replaceAll(/^import .* from 'vitest'.*\n/gm, '')
      .replaceAll(/from '(\.\/.*)\.js'/g, "from '$1'");
    await writeFile(join(folder, 'src', file), toJest(source));
  }
}

/** @param {string} source */
function toJest(source) {
  return source.replaceAll(/\bvi\./g, 'jest.');
}

/**
 * @param {string} what
 * @param {{ ok: boolean, output: string }} result
 */
function expectDone(what, { ok, output }) {
  if (!ok) throw new Error(`${what} failed:\n${output}`);
  return output;
}

/** @param {string} folder */
async function check(folder) {
  const packed = await runCommand(
    NPM,
    ['pack', '--json', '--silent', '--ignore-scripts', '--pack-destination', folder],
    { cwd: ROOT },
  );
  const output = expectDone('npm pack', packed);
  const [{ filename }] = JSON.parse(output.slice(output.search(/^\[/m), output.lastIndexOf(']') + 1));
  await fill(folder);
  const started = performance.now();
  const install = ['install', '--no-audit', '--no-fund', '--prefer-offline', join(folder, filename)];
  expectDone('npm install', await runCommand(NPM, install, { cwd: folder, timeout: 300_000 }));
  console.log(`jest: installed in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  await writeCompilerOptions(folder, EARLY_COMPILER);
  await runTests(folder);
  await writeCompilerOptions(folder, COMPILER);
  for (let look = 1; ; look += 1) {
    const late = await runTests(folder);
    if (late.length === 0) return;
    if (look === LOOKS) throw new Error(`longer than ${LONGEST} ms: ${late.join(', ')}`);
  }
}

/**
 * @param {string} folder
 * @returns {Promise<string[]>} the files that took too long
 */
async function runTests(folder) {
  const jest = join(folder, 'node_modules/jest/bin/jest.js');
  const report = join(folder, 'report.json');
  const env = { REDIS_URL: 'redis://127.0.0.1:1' };
  const words = [jest, '--json', '--outputFile', report];
  expectDone('jest', await runCommand(process.execPath, words, { cwd: folder, env }));
  /** @type {{ numPassedTests: number, testResults: { name: string, assertionResults: { title: string, duration?: number }[] }[] }} */
  const { numPassedTests, testResults } = JSON.parse(await readFile(report, 'utf8'));
  const late = testResults.filter(({ name, assertionResults }) => {
    const took = assertionResults.reduce((sum, { duration = 0 }) => sum + duration, 0);
    console.log(`${name.split('/').at(-1)}: ${took} ms`);
    for (const { title, duration = 0 } of assertionResults) console.log(`  ${duration} ms  ${title}`);
    return took > LONGEST;
  });
  console.log(`jest: ${numPassedTests} tests of a Nest 11 project in CommonJS pass, without Redis`);
  return late.map(({ name }) => name);
}

if (!(await runNode('tools/build/build.mjs', ['lib']))) throw new Error('the library does not build');
const folder = await mkdtemp(join(tmpdir(), 'jest-'));
try {
  await check(folder);
} finally {
  await rm(folder, { recursive: true, force: true });
}
