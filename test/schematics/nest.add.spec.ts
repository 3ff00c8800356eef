import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';

const NEST = resolve('node_modules/@nestjs/cli/bin/nest.js');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nest-add-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A project as "nest new" makes it, as far as "nest add" looks at it, with this package installed. */
function project(name: string, files: Record<string, string>): string {
  const root = join(folder, name);
  const all = {
    'package.json': JSON.stringify({ name, private: true, dependencies: { '@nestjs/schedule': '*' } }),
    'nest-cli.json': JSON.stringify({ collection: '@nestjs/schematics', sourceRoot: 'src' }),
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  mkdirSync(join(root, 'node_modules'));
  symlinkSync(resolve('.'), join(root, 'node_modules/nestjs-distributed-lock'), 'junction');
  symlinkSync(resolve('node_modules/typescript'), join(root, 'node_modules/typescript'), 'junction');
  return root;
}

/** What the user sees, and whether the command succeeded. */
function nestAdd(root: string, ...flags: string[]): Promise<{ ok: boolean; output: string }> {
  const args = [NEST, 'add', 'nestjs-distributed-lock', '--skip-install', ...flags];
  return new Promise((done) => {
    execFile(
      process.execPath,
      args,
      { cwd: root, env: { ...process.env, NO_COLOR: '1' } },
      (error, out, err) => done({ ok: !error, output: stripVTControlCharacters(out + err) }),
    );
  });
}

const module = (ending: string) => `import { Module } from '@nestjs/common';
import { AppController } from './app.controller${ending}';
import { AppService } from './app.service${ending}';

@Module({
  imports: [],
  controllers: [AppController],
  providers: [AppService],
})
export class AppModule {}
`;
const wired = (ending: string, redis: string) =>
  module(ending)
    .replace(
      `'@nestjs/common';\n`,
      `'@nestjs/common';\nimport { ScheduleModule } from '@nestjs/schedule';\nimport { DistributedLockModule } from 'nestjs-distributed-lock';\n`,
    )
    .replace(
      'imports: []',
      `imports: [
    ScheduleModule.forRoot(),
    DistributedLockModule.forRoot({
      redis: process.env.REDIS_URL ?? '${redis}',
    }),
  ]`,
    );

describe('"nest add nestjs-distributed-lock", by the Nest CLI', () => {
  test.concurrent(
    'wires the module of an ES module project',
    async () => {
      const root = project('esm', {
        'src/main.ts': `import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
const app = await NestFactory.create(AppModule);
`,
        'src/app.module.ts': module('.js'),
      });
      const { ok, output } = await nestAdd(root);
      expect(output).toContain('UPDATE src/app.module.ts');
      expect(ok).toBe(true);
      const text = readFileSync(join(root, 'src/app.module.ts'), 'utf8');
      expect(text).toBe(wired('.js', 'redis://localhost:6379'));
    },
    scaled(30_000),
  );

  test.concurrent(
    'wires the module of a CommonJS project, with the address that its user gives',
    async () => {
      const root = project('cjs', { 'src/app.module.ts': module('') });
      const { ok } = await nestAdd(root, '--redis', 'rediss://cache:6380/1');
      expect(ok).toBe(true);
      const text = readFileSync(join(root, 'src/app.module.ts'), 'utf8');
      expect(text).toBe(wired('', 'rediss://cache:6380/1'));
    },
    scaled(30_000),
  );

  test.concurrent(
    'fails, changes nothing and prints what to write where the project has no TypeScript',
    async () => {
      const root = project('bare', { 'src/app.module.ts': module('') });
      rmSync(join(root, 'node_modules/typescript'));
      const { ok, output } = await nestAdd(root);
      expect(ok).toBe(false);
      expect(output).toContain(
        'TypeScript up to version 6, which reads the sources, is not installed here. Nothing was changed.',
      );
      expect(output).toContain("redis: process.env.REDIS_URL ?? 'redis://localhost:6379',");
      expect(readFileSync(join(root, 'src/app.module.ts'), 'utf8')).toBe(module(''));
    },
    scaled(30_000),
  );

  test.concurrent(
    'fails, changes nothing and prints what to write where it does not understand the module',
    async () => {
      const source = module('').replace('[]', 'modules');
      const root = project('other', { 'src/app.module.ts': source });
      const { ok, output } = await nestAdd(root);
      expect(ok).toBe(false);
      expect(output).toContain('/src/app.module.ts cannot be changed automatically');
      expect(output).toContain("redis: process.env.REDIS_URL ?? 'redis://localhost:6379',");
      expect(readFileSync(join(root, 'src/app.module.ts'), 'utf8')).toBe(source);
    },
    scaled(30_000),
  );
});
