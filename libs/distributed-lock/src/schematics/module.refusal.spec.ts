import { describe, expect, test } from 'vitest';
import { HEAD, importsOf, refusal, wire } from '../../../../test/schematics/wiring.fixture.js';

describe('a file with several modules', () => {
  const source = `${HEAD}@Module({})\nclass Feature {}\n\n@Module({ imports: [Feature] })\nexport class Root {}\n`;

  test('is changed in the module that the application is made of', () => {
    expect(wire(source, { className: 'Root' })).toContain('@Module({})\nclass Feature');
    expect(importsOf(wire(source, { className: 'Root' }))).toEqual(['Feature', 'DistributedLockModule']);
  });

  test('is not changed when that module is not known', () => {
    expect(refusal(source)).toBe('it has several classes with @Module({ … })');
  });
});

describe('a module that cannot be understood is left as it is:', () => {
  test.each([
    ['its argument is a name', '@Module(metadata)', 'the argument of @Module() is not an object literal'],
    [
      'its argument is an expression',
      '@Module({ ...a }.b)',
      'the argument of @Module() is not an object literal',
    ],
    ['its imports are a name', '@Module({ imports: modules })', 'its imports are not an array'],
    ['its imports are short-hand', '@Module({ imports })', 'its imports are not an array'],
    ['its imports are computed', '@Module({ imports: [A].concat(b) })', 'its imports are not an array'],
    ['it spreads another', '@Module({ ...base })', 'its imports may come from a spread object'],
    ['it has imports twice', '@Module({ imports: [], imports: [] })', 'it has two imports properties'],
    ['a bracket is missing', '@Module({ imports: [ })', 'line 5: Expression or comma expected'],
    ['a text does not end', "@Module({ imports: ['a] })", 'line 5: Unterminated string literal'],
    ['it is no module', '@Injectable()', 'it has no class with @Module({ … })'],
  ])('%s', (_name, decorator, reason) => {
    expect(refusal(`${HEAD}${decorator}\nexport class AppModule {}\n`)).toContain(reason);
  });

  test('the name means something else', () => {
    const source = `import { DistributedLockModule } from './mine';\n@Module({})\nexport class AppModule {}\n`;
    expect(refusal(source)).toContain('DistributedLockModule is imported from "./mine"');
  });

  test.each(['DistributedLockModule as Locks', 'Locks as DistributedLockModule'])(
    '%s is imported',
    (names) => {
      const source = `import { ${names} } from 'nestjs-distributed-lock';\n@Module({})\nexport class AppModule {}\n`;
      expect(refusal(source)).toContain('in a way that does not fit');
    },
  );

  test('it is CommonJS without import statements', () => {
    expect(refusal(`const { Module } = require('@nestjs/common');\n@Module({})\nclass AppModule {}\n`)).toBe(
      'it has no import statements',
    );
  });
});
