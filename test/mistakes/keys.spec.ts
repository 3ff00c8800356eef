import { Controller, Get, Injectable, Param, Post, Redirect, Res, SetMetadata } from '@nestjs/common';
import { Cron, ScheduleModule } from '@nestjs/schedule';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DistributedLock, LeaderOnly, UseDistributedLock } from 'nestjs-distributed-lock';
import { DoorStage, request } from '../doors/door.stage.js';

/** Methods, as they come from a compiler, a minifier and another decorator. */
const METHODS = {
  none: { async run() {} }.run,
  id: { async run(_id: string) {} }.run,
  real: {
    async run(id: string) {
      return id;
    },
  }.run,
  account: {
    async run(accountId: string, line = 1) {
      return [accountId, line];
    },
  }.run,
  user: {
    async run(user: { id: string }) {
      return user;
    },
  }.run,
  picked: {
    async run({ id }: { id: string }) {
      return id;
    },
  }.run,
  minified: {
    async run(a: string, b: string) {
      return [a, b];
    },
  }.run,
  many: {
    async run(...ids: string[]) {
      return ids;
    },
  }.run,
  date: {
    async run(at: Date) {
      return at;
    },
  }.run,
  tricky: {
    async run(id: string = ')', /* , x */ other = { a: [1, ','] }) {
      return [id, other];
    },
  }.run,
  bound: Reflect.apply(Function.prototype.bind, async (id: string) => id, [
    undefined,
  ]) as () => Promise<unknown>,
} as const;

type Method = keyof typeof METHODS;

function decorate(door: 'DistributedLock' | 'LeaderOnly', key: unknown, method: Method): void {
  const decorator = door === 'LeaderOnly' ? LeaderOnly(key as string) : DistributedLock(key as string);
  const descriptor = { value: METHODS[method], writable: true, configurable: true };
  Reflect.apply(decorator, undefined, [{}, 'run', descriptor]);
}

const MISTAKES: readonly (readonly [key: string | readonly string[], method: Method, found: string])[] = [
  ['account:{id}', 'real', '{id}'],
  ['account:{id}', 'id', '{id}'],
  ['account:{ id }', 'real', '{ id }'],
  ['account:${id}', 'real', '${id}'],
  ['account:${id}', 'none', '${id}'],
  ['account:${user.id}', 'user', '${user.id}'],
  ['account:${', 'none', '${'],
  ['account::id', 'real', '::id'],
  ['account/:id', 'real', '/:id'],
  [':id', 'real', ':id'],
  ['account:id', 'real', ':id'],
  ['account:{id}', 'account', '{id}'],
  ['account::id', 'account', '::id'],
  ['account:{account}', 'account', '{account}'],
  ['account:{user.id}', 'user', '{user.id}'],
  ['account:#{user.id}', 'user', '{user.id}'],
  ['account:{{id}}', 'real', '{id}'],
  ['account:#id', 'real', '#id'],
  ['account:$id', 'real', ':$id'],
  ['account:<id>', 'real', '<id'],
  ['account:$0', 'real', '$0'],
  ['account:{id}', 'picked', '{id}'],
  ['account:{id}', 'many', '{id}'],
  ['account:{id}', 'bound', '{id}'],
  ['account:{other}', 'tricky', '{other}'],
  [['ledger', 'account:{id}'], 'real', '{id}'],
  ['{0}:{id}', 'real', '{id}'],
];

const NAMES: readonly (readonly [key: string | readonly string[], method: Method])[] = [
  ['account:list', 'real'],
  ['{jobs}:nightly', 'none'],
  ['{jobs}:nightly', 'real'],
  ['{orders}:{0}', 'real'],
  ['{account:{0}}:fence', 'real'],
  ['account:{0}', 'minified'],
  // Development and CI have refused it before the build was minified; a hash tag must not fail in production alone.
  ['{billing}:close', 'minified'],
  ['account:{0.id}', 'user'],
  ['account:{1}', 'many'],
  ['account:{1}', 'account'],
  ['orders::nightly', 'real'],
  ['a:b:c', 'real'],
  ['queue:a', 'date'],
  ['price-in-$', 'real'],
  ['{}:x', 'real'],
];

describe.each(['DistributedLock', 'LeaderOnly'] as const)(
  'a key of @%s that is a template of another library',
  (door) => {
    test.each(MISTAKES)('%j on %s is refused, with what to write', (key, method, found) => {
      if (door === 'LeaderOnly' && (typeof key !== 'string' || key.includes('{0}'))) return;
      const refuse = () => decorate(door, key, method);
      expect(refuse).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
      expect(refuse).toThrow(`would be one lock for all calls: "${found}" is not a template`);
      expect(refuse).toThrow('(id) => `account:${id}`');
    });
  },
);

test('a parameter that is known is written as its index', () => {
  expect(() => decorate('DistributedLock', 'account:{line}', 'account')).toThrow(
    'write {1} for that parameter',
  );
  expect(() => decorate('DistributedLock', 'account:{id}', 'account')).toThrow(
    'write {0} for that parameter',
  );
});

test.each(NAMES)('%j on %s is a key as it stands', (key, method) => {
  expect(() => decorate('DistributedLock', key, method)).not.toThrow();
});

test.each([
  ['a:{1}', 'real', 'one parameter, {0}'],
  ['a:{0}', 'none', 'no parameter'],
  ['a:{2.id}', 'account', '2 parameters, {0} to {1}'],
] as const)('%s on %s names a parameter that there is not', (key, method, has) => {
  expect(() => decorate('DistributedLock', key, method)).toThrow(`but the method has ${has}`);
});

describe('a key that goes wrong at a call', () => {
  const stage = new DoorStage();
  const stages: DoorStage[] = [stage];
  afterEach(async () => {
    await Promise.all(stages.map((each) => each.close()));
  });

  @Injectable()
  class Accounts {
    ran = 0;
    readonly tenant = 'a';

    @DistributedLock('account:{0.id}')
    async byTemplate(_account: { readonly id?: unknown }) {
      this.ran += 1;
    }

    @DistributedLock((id: unknown) => id as string)
    async byFunction(_id: unknown) {
      this.ran += 1;
    }

    @DistributedLock((id: string) => Object(undefined as unknown as Accounts | string).tenant.concat(id))
    async byFailure(_id: string) {
      this.ran += 1;
    }
  }

  test('is refused with its place and the remedy, and nothing runs', async () => {
    const app = await stage.start({ providers: [Accounts] });
    const accounts = app.get(Accounts);
    for (const id of [undefined, null, {}, [], Number.NaN, Infinity, '', () => 'x'])
      await expect(accounts.byTemplate({ id })).rejects.toMatchObject({
        code: 'INVALID_NAME',
        message: expect.stringMatching(/Accounts\.byTemplate.*\{0\.id\} is/),
      });
    for (const key of [undefined, null, {}, Number.NaN, '', Promise.resolve('a'), [], ['a', undefined]])
      await expect(accounts.byFunction(key)).rejects.toMatchObject({
        code: 'INVALID_NAME',
        message: expect.stringContaining('The key function of Accounts.byFunction returned'),
        remedy: expect.stringContaining('a promise is not accepted'),
      });
    await expect(accounts.byFailure('x')).rejects.toThrow(TypeError);
    expect(accounts.ran).toBe(0);
    expect(await stage.services.keys()).toEqual([]);
  });
});

describe('a key function that uses "this"', () => {
  const uses: () => string = Reflect.construct(Function, ['id', 'return `${this?.tenant}:${id}`;']) as never;

  test('is refused when the method is decorated, since an optional access would give one name for all', () => {
    const refuse = () =>
      Reflect.apply(DistributedLock(uses) as never, undefined, [{}, 'run', { value: METHODS.real }]);
    expect(refuse).toThrow('is a function that uses "this", which is not available');
    expect(refuse).toThrow('locks.using() in the method');
  });

  test('may have the word in a comment or a text, and an arrow function may have that of its surroundings', () => {
    const comment: () => string = Reflect.construct(Function, [
      'id',
      '/* this */ return "this" + id; // this',
    ]) as never;
    const decorator = DistributedLock(comment) as never;
    expect(() => Reflect.apply(decorator, undefined, [{}, 'run', { value: METHODS.real }])).not.toThrow();
  });
});

describe('a @UseDistributedLock', () => {
  let stage: DoorStage;
  beforeEach(() => {
    stage = new DoorStage();
  });
  afterEach(() => stage.close());

  test.each(['account:{id}', 'account::id', 'account/:id', 'account:${id}', 'account:{0}', 'account:id'])(
    'with the key %s is refused at boot',
    async (key) => {
      @Controller('accounts')
      class Accounts {
        @UseDistributedLock({ key })
        @Get(':id')
        async get(@Param() params: object) {
          return params;
        }
      }
      await expect(stage.start({ controllers: [Accounts] })).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        message: expect.stringContaining('getRequest().params.id'),
      });
    },
  );

  test('whose key is a name is taken, a hash tag included', async () => {
    @Controller('accounts')
    @UseDistributedLock({ key: ['{accounts}:all', 'orders:list'] })
    class Accounts {
      @Get(':id')
      async get(@Param('id') id: string) {
        return { id };
      }
    }
    const app = await stage.start({ controllers: [Accounts] });
    expect((await request(app, '/accounts/7')).body).toEqual({ id: '7' });
  });

  test('on a provider that has no handler is refused at boot', async () => {
    @Injectable()
    class Accounts {
      @UseDistributedLock({ key: 'a' })
      async get() {}
    }
    await expect(stage.start({ providers: [Accounts] })).rejects.toMatchObject({
      code: 'INVALID_TARGET',
      message: expect.stringMatching(/@UseDistributedLock on Accounts\.get: .* Use @DistributedLock/),
    });
  });

  test('on a scheduled method is refused at boot', async () => {
    @Injectable()
    class Jobs {
      @Cron('0 0 1 1 *')
      @UseDistributedLock({ key: 'a' })
      async nightly() {}
    }
    const parts = { imports: [ScheduleModule.forRoot()], providers: [Jobs] };
    await expect(stage.start(parts)).rejects.toMatchObject({ code: 'INVALID_TARGET' });
  });

  test('on a class without handlers is refused at boot', async () => {
    @Injectable()
    @UseDistributedLock({ key: 'a' })
    class Accounts {
      async get() {}
    }
    await expect(stage.start({ providers: [Accounts] })).rejects.toMatchObject({ code: 'INVALID_TARGET' });
  });

  test('on a field resolver of GraphQL is refused at boot, unless its interceptors are asked', async () => {
    @Injectable()
    class Books {
      @SetMetadata('graphql:resolve_property', true)
      @UseDistributedLock({ key: 'a' })
      async stock() {}
    }
    await expect(stage.start({ providers: [Books] })).rejects.toMatchObject({
      code: 'INVALID_TARGET',
      remedy: expect.stringContaining("fieldResolverEnhancers: ['interceptors', 'filters']"),
    });
    const useValue = { fieldResolverEnhancers: ['interceptors'] };
    const app = await stage.start({ providers: [Books, { provide: 'GqlModuleOptions', useValue }] });
    expect(app.get(Books)).toBeInstanceOf(Books);
  });

  test.each([
    ['the class of a field resolver', 'graphql:resolve_property'],
    ['the class of a reference resolver', 'graphql:resolve_reference'],
  ])('on %s is refused at boot', async (_, metadata) => {
    @Injectable()
    @UseDistributedLock({ key: 'a' })
    class Books {
      @SetMetadata(metadata, true)
      async resolve() {}
    }
    await expect(stage.start({ providers: [Books] })).rejects.toMatchObject({
      code: 'INVALID_TARGET',
    });
  });

  test('on a reference resolver of GraphQL is refused at boot', async () => {
    @Injectable()
    class Books {
      @SetMetadata('graphql:resolve_reference', true)
      @UseDistributedLock({ key: 'a' })
      async find() {}
    }
    await expect(stage.start({ providers: [Books] })).rejects.toMatchObject({ code: 'INVALID_TARGET' });
  });

  test('on a helper method of a controller is refused at boot', async () => {
    @Controller()
    class Accounts {
      @Get()
      async get() {}

      @UseDistributedLock({ key: 'a' })
      async helper() {}
    }
    await expect(stage.start({ controllers: [Accounts] })).rejects.toMatchObject({ code: 'INVALID_TARGET' });
  });

  test('on a method of a base class that this class has replaced says nothing about the new one', async () => {
    abstract class Crud {
      @Post('rebuild')
      @UseDistributedLock({ key: 'a' })
      async rebuild(): Promise<string> {
        return 'ran';
      }
    }
    @Controller('one')
    class One extends Crud {}
    @Controller('other')
    class Other extends Crud {
      override async rebuild(): Promise<string> {
        return 'no route';
      }
    }
    const app = await stage.start({ controllers: [One, Other] });
    expect(await (await fetch(`${await app.getUrl()}/one/rebuild`, { method: 'POST' })).text()).toBe('ran');
  });

  test('on what another framework has marked is its business', async () => {
    @Injectable()
    class Commands {
      @UseDistributedLock({ key: 'a' })
      @SetMetadata('commander:command', 'sync')
      async sync() {}
    }
    await expect(stage.start({ providers: [Commands] })).resolves.toBeDefined();
  });

  test.each([
    ['a static method', (d: MethodDecorator) => d(Date, 'run', { value: async () => undefined })],
    ['an accessor', (d: MethodDecorator) => d({}, 'run', { get: () => 1 })],
    ['a property', (d: MethodDecorator) => Reflect.apply(d, undefined, [{}, 'run', undefined])],
    ['a parameter', (d: MethodDecorator) => Reflect.apply(d, undefined, [Date, undefined, 0])],
  ])('on %s is refused at once', (_, apply) => {
    expect(() => apply(UseDistributedLock({ key: 'a' }))).toThrow(
      expect.objectContaining({ code: 'INVALID_TARGET' }),
    );
  });
});

describe('a handler that sends its response by itself, and whose refused calls are skipped', () => {
  const DOORS = {
    DistributedLock: DistributedLock('a', { onBusy: 'skip' }),
    UseDistributedLock: UseDistributedLock({ key: 'a', onBusy: 'skip' }),
    LeaderOnly: LeaderOnly('a'),
  } as const;

  test.each(Object.entries(DOORS))('is refused at boot: @%s', async (_, door) => {
    @Controller()
    class Files {
      @Get('one')
      async get(@Res() _response: unknown): Promise<undefined> {
        return undefined;
      }

      @Get('other')
      async named(@Res({ passthrough: true }) _response: unknown): Promise<undefined> {
        return undefined;
      }

      @Get('elsewhere')
      @Redirect('/other')
      async moved(@Res() _response: unknown): Promise<undefined> {
        return undefined;
      }
    }
    const guard = (name: 'get' | 'named' | 'moved') => {
      const descriptor = Reflect.getOwnPropertyDescriptor(Files.prototype, name);
      Reflect.apply(door, undefined, [Files.prototype, name, descriptor]);
      Reflect.defineProperty(Files.prototype, name, Object(descriptor));
    };
    guard('named');
    guard('moved');
    const stage = new DoorStage();
    try {
      const app = await stage.start({ controllers: [Files] });
      await app.close();
      // Of @LeaderOnly, whose token is meant to stay.
      expect(await stage.services.admin.del(`redisson_lock_token:{${stage.services.prefix}a}`)).toBeLessThan(
        2,
      );
      guard('get');
      await expect(stage.start({ controllers: [Files] })).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        message: expect.stringContaining('@Res()'),
      });
    } finally {
      await stage.close();
    }
  });
});

test('a key function that promises a name is refused, and what it promised may fail', async () => {
  class Orders {
    // @ts-expect-error: a promise is no name
    @DistributedLock(async () => Promise.reject(new Error('the lookup has failed')))
    async place() {}
  }
  const rejections: unknown[] = [];
  const note = (reason: unknown) => void rejections.push(reason);
  process.on('unhandledRejection', note);
  const stage = new DoorStage();
  try {
    const app = await stage.start({ providers: [Orders] });
    await expect(app.get(Orders).place()).rejects.toMatchObject({ code: 'INVALID_NAME' });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(rejections).toEqual([]);
  } finally {
    process.off('unhandledRejection', note);
    await stage.close();
  }
});
