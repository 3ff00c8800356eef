import { beforeEach, describe, expect, test } from 'vitest';
import type { FileTree } from './file.tree.js';
import { nestAdd, type NestAddOptions } from './nest-add.schematic.js';

/** Files in memory; what is changed is noted. */
class MemoryTree implements FileTree {
  readonly changed: string[] = [];

  constructor(readonly files: Record<string, string>) {}

  read(path: string): string | null {
    return this.files[path] ?? null;
  }

  overwrite(path: string, content: string): void {
    this.files[path] = content;
    this.changed.push(path);
  }

  getDir(path: string) {
    const below = Object.keys(this.files)
      .filter((file) => file.startsWith(`${path}/`))
      .map((file) => file.slice(path.length + 1).split('/'));
    const names = (isFile: boolean) => [
      ...new Set(below.filter(({ length }) => (length === 1) === isFile).map(([name = '']) => name)),
    ];
    return { subdirs: names(false), subfiles: names(true) };
  }
}

const MODULE = `import { Module } from '@nestjs/common';

@Module({
  imports: [],
})
export class AppModule {}
`;
const MAIN = `import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';

const app = await NestFactory.create<Application<Server>>(AppModule, { logger: false });
await app.listen(3000);
`;
const manifest = (...names: string[]) =>
  JSON.stringify({ dependencies: Object.fromEntries(names.map((name) => [name, '*'])) });

let files: Record<string, string>;
const logged: string[] = [];

beforeEach(() => {
  logged.length = 0;
  files = {
    '/package.json': manifest('nestjs-distributed-lock', 'ioredis'),
    '/src/main.ts': MAIN,
    '/src/app.module.ts': MODULE,
  };
});

function add(options: NestAddOptions = {}): string[] {
  const tree = new MemoryTree(files);
  nestAdd({ sourceRoot: 'src', ...options })(tree, { logger: { info: (line) => logged.push(line) } });
  return tree.changed;
}

describe('the module that is changed', () => {
  test('is the one that main.ts starts, whatever its name', () => {
    files['/src/main.ts'] = `import { Shop as Root } from '../shop/shop.js';
import { NestFactory } from '@nestjs/core';
void NestFactory.createApplicationContext(Root);`;
    files['/shop/shop.ts'] = MODULE.replace('AppModule', 'Shop');
    expect(add()).toEqual(['/shop/shop.ts']);
  });

  test('is app.module.ts where main.ts does not say', () => {
    files['/src/main.ts'] = `import { start } from './start.js';\nawait start();\n`;
    expect(add()).toEqual(['/src/app.module.ts']);
  });

  test('is the one of the project that the Nest CLI names', () => {
    files['/apps/api/src/app.module.ts'] = MODULE;
    expect(add({ sourceRoot: 'apps/api/src' })).toEqual(['/apps/api/src/app.module.ts']);
  });

  test('is the one that the user names', () => {
    files['/src/core/core.module.ts'] = MODULE.replace('AppModule', 'CoreModule');
    expect(add({ module: 'src/core/core.module.ts' })).toEqual(['/src/core/core.module.ts']);
  });

  test('is changed once', () => {
    expect(add()).toEqual(['/src/app.module.ts']);
    expect(add()).toEqual([]);
    expect(logged.join('\n')).toContain('DistributedLockModule is imported in /src/app.module.ts already');
  });

  test('is changed where only a test has the module of locks', () => {
    files['/src/app.module.spec.ts'] = 'DistributedLockModule.forRoot({}); ScheduleModule.forRoot()';
    files['/src/app.e2e-spec.ts'] = files['/src/app.module.spec.ts'];
    files['/src/main.ts'] = '// DistributedLockModule.forRoot({}), ScheduleModule.forRoot()';
    files['/package.json'] = manifest('@nestjs/schedule');
    expect(add()).toEqual(['/src/app.module.ts']);
    expect(files['/src/app.module.ts']).toContain('ScheduleModule.forRoot(),');
  });

  test('is not changed where another one has the module of locks', () => {
    files['/src/core/core.module.ts'] = 'DistributedLockModule.forRootAsync({})';
    files['/src/node_modules/other/index.js'] = '';
    expect(add()).toEqual([]);
    expect(logged.join('\n')).toContain('/src/core/core.module.ts already');
  });
});

describe('ScheduleModule', () => {
  test('is added when its package is used and no module imports it', () => {
    files['/package.json'] = manifest('@nestjs/schedule');
    add();
    expect(files['/src/app.module.ts']).toContain('ScheduleModule.forRoot(),');
    expect(logged[0]).toBe(
      'ScheduleModule and DistributedLockModule: added to the imports of /src/app.module.ts.',
    );
  });

  test('is left alone where another module imports it', () => {
    files['/package.json'] = manifest('@nestjs/schedule');
    files['/src/jobs.module.ts'] = '@Module({ imports: [ScheduleModule.forRoot()] })';
    add();
    expect(files['/src/app.module.ts']).not.toContain('ScheduleModule');
  });

  test('is a next step where its package is not there', () => {
    add();
    expect(files['/src/app.module.ts']).not.toContain('ScheduleModule');
    expect(logged.join('\n')).toContain('npm install @nestjs/schedule, and add ScheduleModule.forRoot()');
  });

  test('is named with the version that the Jest of a Nest 11 project can load', () => {
    files['/package.json'] = JSON.stringify({ dependencies: { '@nestjs/core': '^11.0.1' } });
    add();
    expect(logged.join('\n')).toContain('npm install @nestjs/schedule@6, and add ScheduleModule.forRoot()');
  });
});

describe('next steps', () => {
  test('name what is not in package.json, and what main.ts does not do', () => {
    files['/package.json'] = 'not JSON';
    add();
    const output = logged.join('\n');
    expect(output).toContain('npm install nestjs-distributed-lock ioredis (or redis in place of ioredis');
    expect(output).toContain('app.enableShutdownHooks()');
  });

  test('leave out what is done', () => {
    files['/src/main.ts'] += 'app.enableShutdownHooks();';
    add();
    const output = logged.join('\n');
    expect(output).not.toContain('missing packages');
    expect(output).not.toContain('enableShutdownHooks');
  });
});

describe('the Redis client', () => {
  test.each([
    ['redis', ['redis']],
    ['ioredis', ['redis', 'ioredis']],
  ])('is the one of package.json: %s', (client, packages) => {
    files['/package.json'] = manifest('nestjs-distributed-lock', '@nestjs/schedule', ...packages);
    add();
    const output = logged.join('\n');
    expect(output).toContain(`connects to Redis with "${client}"`);
    expect(output).not.toContain('npm install');
  });
});

describe('--redis', () => {
  test('is the address where REDIS_URL is not set', () => {
    add({ redis: 'rediss://cache.internal:6380/2' });
    expect(files['/src/app.module.ts']).toContain(
      "redis: process.env.REDIS_URL ?? 'rediss://cache.internal:6380/2',",
    );
  });

  test.each(['localhost:6379', 'http://localhost', "redis://a'b", 'redis://a b', ''])(
    'is refused where it is no address: %s',
    (redis) => {
      expect(() => add({ redis })).toThrow(/--redis must be an address such as redis:\/\/localhost:6379/);
      expect(files['/src/app.module.ts']).toBe(MODULE);
    },
  );

  test('is refused with a password, which would stand in the source', () => {
    expect(() => add({ redis: 'redis://:secret@host' })).toThrow(/REDIS_URL/);
    expect(files['/src/app.module.ts']).toBe(MODULE);
  });
});

describe('a refusal explains what to write by hand:', () => {
  test('a module that cannot be understood', () => {
    files['/src/app.module.ts'] = MODULE.replace('[]', 'modules');
    const before = { ...files };
    expect(() => add({ redis: 'redis://elsewhere' })).toThrow(
      /\/src\/app\.module\.ts cannot be changed.*Nothing was changed.*process\.env\.REDIS_URL \?\? 'redis:\/\/elsewhere',/s,
    );
    expect(files).toEqual(before);
  });

  test('no module at all', () => {
    expect(() => add({ sourceRoot: 'lib' })).toThrow(/no module was found in \/lib/);
    expect(() => add({ module: 'src/none.ts' })).toThrow(/no module was found at \/src\/none\.ts/);
  });
});
