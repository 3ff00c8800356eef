import { Injectable, Module, type DynamicModule } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { Redis, type RedisOptions } from 'ioredis';
import {
  DistributedLockModule,
  InjectLockService,
  LockConfigurationError,
  LockService,
  LockUnavailableError,
  lockServiceToken,
  type DistributedLockModuleOptions,
  type LockModuleSettings,
  type RedisSource,
} from 'nestjs-distributed-lock';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { until } from '../support/until.js';
import { DoorStage } from './door.stage.js';

class Options {
  createLockOptions(): DistributedLockModuleOptions {
    return { redis: inject('redisUrl'), namePrefix: 'test:class:' };
  }
}

@Module({ providers: [Options], exports: [Options] })
class OptionsModule {}

@Injectable()
class Consumer {
  constructor(
    readonly locks: LockService,
    @InjectLockService() readonly byToken: LockService,
  ) {}
}

let stage: DoorStage;
beforeEach(() => {
  stage = new DoorStage();
});
afterEach(() => stage.close());

describe('forRoot and forRootAsync', () => {
  test('give one service, by its class and by its token, to every module', async () => {
    const app = await stage.start({ providers: [Consumer] });
    const { locks, byToken } = app.get(Consumer);
    expect(locks).toBeInstanceOf(LockService);
    expect(byToken).toBe(locks);
    expect(app.get(lockServiceToken())).toBe(locks);
  });

  test.each([
    [
      'useFactory',
      {
        useFactory: async (options: Options) => options.createLockOptions(),
        inject: [Options],
        imports: [OptionsModule],
      },
    ],
    ['useClass', { useClass: Options }],
    ['useExisting', { useExisting: Options, imports: [OptionsModule] }],
  ])('take options from %s', async (_, how) => {
    const app = await stage.boot({
      imports: [DistributedLockModule.forRootAsync(how)],
      providers: [Consumer],
    });
    const { locks } = app.get(Consumer);
    expect(locks.settings.mapName('x')).toBe('test:class:x');
    await expect(locks.getLock('x').using(() => 'worked')).resolves.toBe('worked');
  });

  test('take name, isGlobal and refusalFilter beside an async factory', async () => {
    const named = DistributedLockModule.forRootAsync({
      name: 'jobs',
      isGlobal: false,
      refusalFilter: false,
      useClass: Options,
    });
    const app = await stage.boot({ imports: [named] });
    expect(app.get(lockServiceToken('jobs'))).toBeInstanceOf(LockService);
    await expect(stage.boot({ imports: [named], providers: [Consumer] })).rejects.toThrow(/LockService/);
    expect(named.global).toBe(false);
  });
});

describe('several instances in one application', () => {
  const feature = (locks: DynamicModule) => {
    @Module({ imports: [locks] })
    class FeatureModule {}
    return FeatureModule;
  };
  const refusal = (said: string) => ({
    code: 'INVALID_OPTION',
    message: expect.stringContaining(said),
  });

  test.each([
    ['without a name', {}],
    ['named "jobs"', { name: 'jobs' }],
  ])('%s are refused before they connect: a hold of one is unknown to the other', async (which, extras) => {
    const connectionName = stage.services.prefix;
    const { hostname, port } = new URL(inject('redisUrl'));
    const redis = { host: hostname, port: Number(port), connectionName };
    const make = () => feature(DistributedLockModule.forRoot({ redis, isGlobal: false, ...extras }));
    await expect(stage.boot({ imports: [make(), make()] })).rejects.toMatchObject(
      refusal(`DistributedLockModule ${which} is imported 2 times`),
    );
    expect(String(await stage.services.admin.client('LIST'))).not.toContain(connectionName);
  });

  test('a second one in a module that is loaded later is refused, too', async () => {
    const app = await stage.start({});
    const loaded = app.get(LazyModuleLoader).load(() => feature(stage.locks()));
    await expect(loaded).rejects.toMatchObject(refusal('imported 2 times'));
  });

  test('a module that is loaded later and cannot open its locks leaves those of the application alone', async () => {
    const app = await stage.start({});
    const locks = app.get(LockService);
    const held = await locks.getLock('kept').lock();
    const away = stage.locks({}, { name: 'away' }, 'redis://127.0.0.1:1');
    await expect(app.get(LazyModuleLoader).load(() => feature(away))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
    expect(held.signal.aborted).toBe(false);
    expect(await locks.using('other', () => 'ran')).toBe('ran');
    const reports = stage.locks({}, { name: 'reports' });
    const loaded = await app.get(LazyModuleLoader).load(() => feature(reports));
    const later: LockService = loaded.get(lockServiceToken('reports'), { strict: false });
    expect(await later.using('later', () => 'ran')).toBe('ran');
    expect(await held.unlock()).toBe('released');
  });

  test('with names of their own start', async () => {
    const app = await stage.boot({
      imports: [feature(stage.locks()), feature(stage.locks({}, { name: 'jobs' }))],
    });
    expect(app.get(lockServiceToken('jobs'), { strict: false })).not.toBe(
      app.get(LockService, { strict: false }),
    );
  });

  test('one forRoot() that several modules import is one instance', async () => {
    const locks = stage.locks();
    const app = await stage.boot({ imports: [feature(locks), feature(locks)], providers: [Consumer] });
    expect(app.get(Consumer).locks).toBe(app.get(LockService, { strict: false }));
  });
});

describe('where Redis is', () => {
  const parts = (): RedisOptions => {
    const { hostname, port } = new URL(inject('redisUrl'));
    return { host: hostname, port: Number(port) };
  };

  test('is given by a URL, by ioredis options, or by a client, which is left alone', async () => {
    const client = new Redis(inject('redisUrl'));
    for (const redis of [inject('redisUrl'), parts(), client] satisfies RedisSource[]) {
      const app = await stage.boot({
        imports: [DistributedLockModule.forRoot({ redis, namePrefix: stage.services.prefix })],
      });
      await expect(
        app
          .get(LockService)
          .getLock('x')
          .using(() => 'worked'),
      ).resolves.toBe('worked');
      await app.close();
    }
    await expect(client.ping()).resolves.toBe('PONG');
    client.disconnect();
  });

  test('two connections are made, and closed with the application', async () => {
    const connectionName = stage.services.prefix;
    const count = async () =>
      (String(await stage.services.admin.client('LIST')).match(new RegExp(connectionName, 'g')) ?? []).length;
    const app = await stage.boot({
      imports: [DistributedLockModule.forRoot({ redis: { ...parts(), connectionName } })],
    });
    expect(await count()).toBe(2);
    await app.close();
    await until('both are closed', async () => (await count()) === 0);
  });

  test('that cannot be reached fails the boot with an error that names the address', async () => {
    const redis = { host: '127.0.0.1', port: 1 };
    const boot = stage.boot({ imports: [DistributedLockModule.forRoot({ redis })] });
    await expect(boot).rejects.toBeInstanceOf(LockUnavailableError);
    await expect(boot).rejects.toThrow(/127\.0\.0\.1:1/);
  });

  test('that cannot be reached fails the first use instead, with lazyConnect', async () => {
    const redis = { host: '127.0.0.1', port: 1, lazyConnect: true };
    const app = await stage.boot({
      imports: [DistributedLockModule.forRoot({ redis, commandTimeout: 100 })],
    });
    await expect(app.get(LockService).getLock('x').tryLock()).rejects.toBeInstanceOf(LockUnavailableError);
  });

  test.each([
    ['left out', undefined, 'not undefined'],
    ['null', null, 'not null'],
    ['empty', ' ', 'not an empty string'],
    ['of another scheme', 'http://user:secret@localhost', 'begins with "http:"'],
    ['a number', 6379, 'not number'],
    ['a list', ['localhost'], 'not an array'],
  ])('that is %s fails the boot with a sentence', async (_, source, said) => {
    const redis = source as RedisSource;
    const boot = stage.boot({ imports: [DistributedLockModule.forRoot({ redis })] });
    await expect(boot).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining(said),
    });
    await expect(boot).rejects.not.toThrow(/secret/);
  });
});

describe('options that cannot work', () => {
  const bad: [string, Record<string, unknown>][] = [
    ['lockWatchdogTimeout', { lockWatchdogTimeout: 100 }],
    ['waitTime.decorator', { waitTime: { decorator: -1 } }],
    ['waitTime.lock', { waitTime: { lock: 'soon' } }],
    ['namePrefix', { namePrefix: 7 }],
    ['nameMapper', { nameMapper: 'x' }],
    ['namePrefix and nameMapper', { namePrefix: 'a', nameMapper: (name: string) => name }],
    ['appName', { appName: '' }],
    ['maxHold', { maxHold: 0 }],
    ['warnAfter', { warnAfter: 'x' }],
    ['maxWaiters', { maxWaiters: 0.5 }],
    ['handOver.max', { handOver: { max: -1 } }],
    ['handOver.time', { handOver: { time: '-5s' } }],
    ['commandTimeout', { commandTimeout: 1 }],
    ['shutdownTimeout', { shutdownTimeout: Number.NaN }],
    ['busyStatus', { busyStatus: 200 }],
    ['retryAfter', { retryAfter: {} }],
  ];

  test.each(bad)('%s fails the boot with a sentence that names it', async (option, options) => {
    const boot = stage.start({ options: options as LockModuleSettings });
    await expect(boot).rejects.toBeInstanceOf(LockConfigurationError);
    await expect(boot).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining(option),
    });
  });

  test.each([
    [
      'forRoot() without options',
      () => Reflect.apply(DistributedLockModule.forRoot, DistributedLockModule, []),
    ],
    ['forRootAsync() without a source of options', () => DistributedLockModule.forRootAsync({})],
    ['an empty name', () => DistributedLockModule.forRoot({ redis: 'redis://localhost', name: '' })],
  ])('%s throws a sentence', (_, call) => {
    expect(call).toThrow(LockConfigurationError);
    expect(call).toThrow(/DistributedLockModule/);
  });
});
