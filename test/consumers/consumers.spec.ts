import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { withoutCronWarnings } from '../support/cron.warning.js';
import { scaled } from '../support/slowness.js';
import { uniquePrefix } from '../support/services.js';

const run = promisify(execFile);
const SOURCE = resolve('test/consumers/consumer.app.ts');

const CONSUMERS = [
  {
    name: 'Nest 11, CommonJS, @nestjs/schedule 6, ioredis 5',
    type: 'commonjs',
    module: ts.ModuleKind.CommonJS,
    peers: [
      '@nestjs/common@11',
      '@nestjs/core@11',
      '@nestjs/platform-express@11',
      '@nestjs/schedule@6',
      'ioredis@5',
    ],
  },
  {
    name: 'Nest 12, ES modules, @nestjs/schedule 12, ioredis 6',
    type: 'module',
    module: ts.ModuleKind.ES2022,
    peers: [
      '@nestjs/common@12',
      '@nestjs/core@12',
      '@nestjs/platform-express@12',
      '@nestjs/schedule@12',
      'ioredis@6',
    ],
  },
] as const;

let folder: string;
let tarball: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'consumers-'));
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]);
  const packed: unknown = JSON.parse(stdout);
  const name = /"filename":\s*"(?<name>[^"]+\.tgz)"/.exec(JSON.stringify(packed))?.groups?.['name'];
  tarball = join(folder, (name ?? '').split('/').at(-1) ?? '');
}, scaled(60_000));

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test.each(CONSUMERS)(
  'the packed library serves an app of $name',
  async ({ type, module, peers }) => {
    const app = mkdtempSync(join(folder, `${type}-`));
    writeFileSync(join(app, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type }));
    const { outputText } = ts.transpileModule(readFileSync(SOURCE, 'utf8'), {
      compilerOptions: {
        target: ts.ScriptTarget.ES2022,
        module,
        experimentalDecorators: true,
        emitDecoratorMetadata: true,
      },
    });
    writeFileSync(join(app, 'app.js'), outputText);
    const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
    await run('npm', ['install', ...quiet, tarball, ...peers, 'rxjs@7', 'reflect-metadata@0.2'], {
      cwd: app,
    });
    const { stdout, stderr } = await run(process.execPath, ['app.js'], {
      cwd: app,
      env: { ...process.env, REDIS_URL: inject('redisUrl'), PREFIX: uniquePrefix() },
    });
    expect(withoutCronWarnings(stderr)).toBe('');
    expect(JSON.parse(stdout)).toEqual({
      guarded: [200, 200, 200, 200],
      most: 1,
      refused: 423,
      ticks: 2,
      different: 2,
    });
  },
  scaled(120_000),
);
