import { describe, expect, test } from 'vitest';
import { HEAD, importsOf, wire } from '../../../../test/schematics/wiring.fixture.js';

describe('the module of a new application', () => {
  test('gets the import behind those of packages, and the module in its list', () => {
    expect(
      wire(`${HEAD}@Module({
  imports: [],
  controllers: [AppController],
  providers: [AppService],
})
export class AppModule {}
`),
    ).toBe(`import { Module } from '@nestjs/common';
import { DistributedLockModule } from 'nestjs-distributed-lock';
import { AppController } from './app.controller';
import { AppService } from './app.service';

@Module({
  imports: [
    DistributedLockModule.forRoot({
      redis: process.env.REDIS_URL ?? 'redis://localhost:6379',
    }),
  ],
  controllers: [AppController],
  providers: [AppService],
})
export class AppModule {}
`);
  });

  test('keeps double quotes, missing semicolons, tabs, line ends, and a list without a last comma', () => {
    const source = [
      'import { Module } from "@nestjs/common"',
      'import { Users } from "./users.js"',
      '',
      '@Module({',
      '\timports: [',
      '\t\tUsers',
      '\t]',
      '})',
      'export class AppModule {}',
      '',
    ].join('\r\n');
    expect(wire(source).split('\r\n')).toEqual([
      'import { Module } from "@nestjs/common"',
      'import { DistributedLockModule } from "nestjs-distributed-lock"',
      'import { Users } from "./users.js"',
      '',
      '@Module({',
      '\timports: [',
      '\t\tUsers,',
      '\t\tDistributedLockModule.forRoot({',
      '\t\t\tredis: process.env.REDIS_URL ?? "redis://localhost:6379"',
      '\t\t})',
      '\t]',
      '})',
      'export class AppModule {}',
      '',
    ]);
  });

  test.each(['with', 'assert'])('gets the import behind one with a list of names, %s', (word) => {
    const data = `import data from 'pkg/data.json' ${word} { type: 'json' };`;
    const source = wire(`${HEAD}${data}\n\n@Module({})\nexport class AppModule {}\n`);
    expect(source).toContain(
      `${data}\nimport { DistributedLockModule } from 'nestjs-distributed-lock';\n\n@Module`,
    );
  });

  test('gets ScheduleModule before it when that is requested', () => {
    const source = wire(`${HEAD}@Module({ imports: [] })\nexport class AppModule {}\n`, { schedule: true });
    expect(importsOf(source)).toEqual(['ScheduleModule', 'DistributedLockModule']);
    expect(source).toContain(
      `import { ScheduleModule } from '@nestjs/schedule';\nimport { DistributedLockModule } from 'nestjs-distributed-lock';\n`,
    );
  });
});

/** Each form of a list, and what it is to be. */
const FORMS: readonly (readonly [string, string, readonly string[], string])[] = [
  [
    'on one line',
    'imports: [A, B.forRoot({ a: [1, 2] })],',
    ['A', 'B'],
    '\n    A,\n    B.forRoot({ a: [1, 2] }),\n    D',
  ],
  ['on one line with a last comma', 'imports: [A, ],', ['A'], '\n    A,\n    D'],
  ['on one line with a comment', 'imports: [A, /* b, c */ B],', ['A', 'B'], '[A, /* b, c */ B,\n    D'],
  ['on several lines', 'imports: [\n    A,\n    B, // both\n  ],', ['A', 'B'], '    B, // both\n    D'],
  ['without a last comma', 'imports: [\n    A,\n    B // both\n  ],', ['A', 'B'], '    B, // both\n    D'],
  ['begun beside its bracket', 'imports: [A,\n    B],', ['A', 'B'], '    B,\n    D'],
  ['of comments alone', 'imports: [\n    // none yet\n  ],', [], '    // none yet\n    D'],
  ['of one comment', 'imports: [/* none */],', [], '[/* none */\n    D'],
  ['under a quoted name', "'imports': [],", [], "'imports': [\n    D"],
  ['behind a spread', '...rest,\n  imports: [A],', ['A'], '\n    A,\n    D'],
  ['that is absent', 'providers: [],', [], '({\n  imports: [\n    D'],
];

describe('a list of imports', () => {
  test.each(FORMS)('%s gets one more element', (_name, property, before, expected) => {
    const source = `${HEAD}@Module({\n  ${property}\n})\nexport class AppModule {}\n`;
    const wired = wire(source);
    expect(importsOf(wired)).toEqual([...before, 'DistributedLockModule']);
    expect(wired).toContain(`${expected}istributedLockModule.forRoot({`);
    expect(wire(wired)).toBe(wired);
  });

  test.each([
    ['an empty object', '@Module({})'],
    ['an empty object with a comment', '@Module({\n  // later\n})'],
    ['one line without imports', '@Module({ providers: [] })'],
    ['one line with imports', '@Module({ imports: [A], providers: [] })'],
    ['a second decorator', '@Global()\n@Module({})\n@Named("(")'],
    [
      'brackets in texts',
      '@Module({ providers: [{ provide: "]", useValue: `)${"}"}` }], imports: [/[\\]/]/] })',
    ],
  ])('of a module with %s is found or made', (_name, decorator) => {
    const wired = wire(`${HEAD}${decorator}\nexport class AppModule {}\n`);
    expect(importsOf(wired).at(-1)).toBe('DistributedLockModule');
    expect(wire(wired)).toBe(wired);
  });
});
