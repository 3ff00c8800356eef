import { posix } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LintFixture } from './lint.fixture.js';

/** A case: what imports what, the importing file, and what it imports. */
type Import = readonly [title: string, from: string, target: string];

const REFUSED: readonly Import[] = [
  ['a decorator that imports the composition root', 'decorators/a.file.ts', '../module/lock.module.js'],
  [
    'a decorator that imports a scheduled method',
    'decorators/a.file.ts',
    '../scheduled-methods/tick.runner.js',
  ],
  ['ticks that import an election beside them', 'ticks/a.run.ts', '../elections/candidate.js'],
  ['the schedule that imports a decorator', 'scheduled-methods/a.file.ts', '../decorators/lock.decorator.js'],
  ['an interceptor that imports a decorator', 'interceptors/a.file.ts', '../decorators/lock.decorator.js'],
  ['a filter that imports a decorator', 'filters/a.file.ts', '../decorators/lock.decorator.js'],
  ['the service that imports a filter', 'service/a.service.ts', '../filters/refusal.filter.js'],
  ['a lock that imports the service', 'locks/a.lock.ts', '../service/lock.service.js'],
  ['the acquire loop that imports a lock', 'acquire/a.queue.ts', '../locks/a.lock.js'],
  ['the core that imports a hold', 'core/holder.ids.ts', '../holds/hold.js'],
  ['events that import the acquire loop', 'events/a.board.ts', '../acquire/acquire.loop.js'],
  ['scripts that import the core', 'scripts/a.runner.ts', '../core/holder.ids.js'],
  ['redis that imports scripts', 'redis/a.client.ts', '../scripts/script.runner.js'],
  ['timing that imports redis', 'timing/a.clock.ts', '../redis/client.lifecycle.js'],
  ['options that import timing', 'options/a.check.ts', '../timing/a.clock.js'],
  ['errors that import options', 'errors/a.error.ts', '../options/a.check.js'],
  ['errors that import timing', 'errors/a.error.ts', '../timing/a.clock.js'],
  ['a contract that imports an error', 'contracts/a.contract.ts', '../errors/lock.errors.js'],
  ['a window that imports another', 'health/a.indicator.ts', '../metrics/a.metric.js'],
  ['a file in a deeper folder that imports upwards', 'scripts/deep/a.runner.ts', '../../holds/hold.js'],
  ['a lock that imports the barrel', 'locks/a.lock.ts', '../index.js'],
  ['the composition root that imports the barrel', 'module/a.module.ts', '../index.js'],
  ['ioredis in a lock', 'locks/a.lock.ts', 'ioredis'],
  ['ioredis in redis', 'redis/a.client.ts', 'ioredis'],
  ['ioredis where the option is read', 'redis-source/a.reader.ts', 'ioredis'],
  ['node-redis in connections', 'connections/a.loader.ts', 'redis'],
  ['node-redis in the room of ioredis', 'ioredis-client/a.adapter.ts', 'redis'],
  ['ioredis in the room of node-redis', 'node-redis-client/a.adapter.ts', 'ioredis'],
  ['an adapter that imports the other one', 'node-redis-client/a.ts', '../ioredis-client/a.js'],
  ['ioredis in the composition root', 'module/a.module.ts', 'ioredis'],
  ['ioredis in the barrel', 'index.ts', 'ioredis'],
  ['a part of ioredis in a contract', 'contracts/a.contract.ts', 'ioredis/built/Redis.js'],
  ['a schematic that imports the library', 'schematics/a.schematic.ts', '../contracts/duration.js'],
  ['a schematic that imports a package', 'schematics/a.schematic.ts', 'typescript'],
];

const ALLOWED: readonly Import[] = [
  ['the composition root that imports a decorator', 'module/a.module.ts', '../decorators/lock.decorator.js'],
  [
    'a scheduled method that imports the service',
    'scheduled-methods/a.file.ts',
    '../service/lock.service.js',
  ],
  ['a lock that imports the acquire loop', 'locks/a.lock.ts', '../acquire/acquire.loop.js'],
  ['a hold that imports renewal', 'holds/a.hold.ts', '../renewal/watchdog.js'],
  ['timing that imports options', 'timing/a.parser.ts', '../options/a.check.js'],
  ['timing that imports errors', 'timing/a.parser.ts', '../errors/lock.errors.js'],
  ['an error that imports a contract', 'errors/a.error.ts', '../contracts/duration.js'],
  ['a hold that imports its neighbour', 'holds/a.hold.ts', './hold.js'],
  ['ioredis in its room', 'ioredis-client/a.client.ts', 'ioredis'],
  ['node-redis in its room', 'node-redis-client/a.client.ts', 'redis'],
  ['a schematic that imports its neighbour', 'schematics/a.schematic.ts', './file.tree.js'],
  ['the test of a unit that imports what it needs', 'timing/a.clock.spec.ts', '../redis/client.lifecycle.js'],
];

/** Imports of types of the compiler. */
const COMPILER: readonly Import[] = [
  ['a schematic that imports the types of the compiler', 'schematics/a.reader.ts', 'typescript'],
  ['a schematic that imports the types of another package', 'schematics/a.reader.ts', 'typescript-eslint'],
];

const fixture = new LintFixture();

beforeAll(() => {
  for (const [title, from, target] of [...REFUSED, ...ALLOWED]) {
    if (target.startsWith('.')) {
      const imported = posix.join('src', posix.dirname(from), target.replace(/\.js$/, '.ts'));
      fixture.write(title, imported, 'export const thing = 1;\n');
    }
    fixture.write(title, `src/${from}`, `import { thing } from '${target}';\nexport const made = [thing];\n`);
  }
  const hold = 'export interface Hold { readonly id: string }\n';
  const typeImport =
    "import type { Hold } from '../holds/hold.js';\nexport const a = (hold: Hold) => hold.id;\n";
  fixture.write('type import', 'src/holds/hold.ts', hold);
  fixture.write('type import', 'src/timing/a.clock.ts', typeImport);
  fixture.write('re-export', 'src/holds/hold.ts', hold);
  fixture.write(
    're-export',
    'src/timing/a.clock.ts',
    "export { type Hold } from '../holds/hold.js';\nexport const a = 1;\n",
  );
  for (const [title, file, from] of COMPILER)
    fixture.write(title, `src/${file}`, `import type ts from '${from}';\nexport type A = ts.Node;\n`);
  fixture.write('new room', 'src/attic/a.box.ts', 'export const a = 1;\n');
  fixture.lint();
});

afterAll(() => fixture.remove());

describe('the storey rule refuses', () => {
  it.each(REFUSED)('%s', (title) => {
    expect(fixture.findingsOf(title)).toEqual([expect.stringContaining('storey rule: ')]);
  });

  it.each(['type import', 're-export'])('an upward %s', (title) => {
    expect(fixture.findingsOf(title)).toEqual([expect.stringContaining('storey rule: timing/')]);
  });

  it('types of a package in a schematic, but those of the compiler', () => {
    const [compiler, other] = COMPILER.map(([title]) => fixture.findingsOf(title));
    expect(compiler).toEqual([]);
    expect(other).toEqual([expect.stringContaining('storey rule: schematics/')]);
  });

  it('a room that has no storey', () => {
    expect(fixture.findingsOf('new room')).toEqual([
      expect.stringContaining('storey rule: attic/ has no storey'),
    ]);
  });

  it('with a failing exit code', () => {
    expect(fixture.houseFailed).toBe(true);
  });
});

describe('the storey rule allows', () => {
  it.each(ALLOWED)('%s', (title) => {
    expect(fixture.findingsOf(title)).toEqual([]);
  });
});
