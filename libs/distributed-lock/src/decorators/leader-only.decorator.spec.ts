import { describe, expect, test } from 'vitest';
import { readLeaderMethods } from '../metadata/leader.registry.js';
import { LeaderOnly } from './leader-only.decorator.js';

/** What is thrown for an option that types would not let through. */
function refusal(
  key: unknown,
  options: unknown,
  target: object = {},
  value: unknown = async () => undefined,
) {
  const decorate: (key: unknown, options: unknown) => MethodDecorator = Object(LeaderOnly);
  return () => decorate(key, options)(target, 'lead', { value });
}

describe('@LeaderOnly', () => {
  test.each([
    ['', {}, 'The key of Object.lead must be a name'],
    [undefined, {}, 'The key of Object.lead must be a name'],
    [['a', 'b'], {}, 'The key of Object.lead must be a name'],
    ['account:{0}', {}, 'cannot have arguments'],
    ['account:{0.id}', {}, 'cannot have arguments'],
    ['a', { otherwise: 'wait' }, 'otherwise of Object.lead must be "skip" or "throw", not wait'],
    ['a', { service: '' }, 'service of Object.lead must be the name of a module instance'],
  ])('refuses %j with %j at once', (key, options, said) => {
    expect(refusal(key, options)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringContaining(said) }),
    );
  });

  test('goes on instance methods only', () => {
    const said = expect.objectContaining({
      code: 'INVALID_TARGET',
      message: expect.stringContaining('@LeaderOnly on '),
    });
    expect(refusal('a', {}, Date)).toThrow(said);
    expect(refusal('a', {}, {}, 7)).toThrow(said);
  });

  test('is found with its key, of a class and of those that it inherits from; an override is not led', () => {
    class Base {
      @LeaderOnly('{jobs}:base')
      async run() {}

      @LeaderOnly('kept', { otherwise: 'throw', service: 'second' })
      async kept(_id: string) {}
    }
    class Derived extends Base {
      override async run() {}
    }
    expect(readLeaderMethods(Base.prototype)).toMatchObject([
      { methodKey: 'run', key: '{jobs}:base', where: 'Base.run', returns: 'promise' },
      { methodKey: 'kept', key: 'kept', options: { otherwise: 'throw', service: 'second' } },
    ]);
    expect(readLeaderMethods(Derived.prototype).map(({ key }) => key)).toEqual(['kept']);
  });
});
