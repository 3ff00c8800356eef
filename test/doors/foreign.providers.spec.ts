import { Controller, Get, Injectable, Module, Scope, SetMetadata, type Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Cron, Interval, ScheduleModule } from '@nestjs/schedule';
import { TerminusModule } from '@nestjs/terminus';
import {
  currentLock,
  DistributedLock,
  LeaderOnly,
  LockService,
  UseDistributedLock,
} from 'nestjs-distributed-lock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DistributedLockHealthIndicator } from '../../libs/distributed-lock/src/health/index.js';
import { DistributedLockMetricsModule } from '../../libs/distributed-lock/src/metrics/index.js';
import { DistributedLockTestingModule } from '../../libs/distributed-lock/src/testing/index.js';
import { DistributedLockTracingModule } from '../../libs/distributed-lock/src/tracing/index.js';
import { until } from '../support/until.js';
import { DoorStage, request } from './door.stage.js';
import { ForeignValues } from './foreign.values.js';

@Injectable()
class Jobs {
  ticks = 0;

  @Cron('* * * * * *')
  @DistributedLock('foreign:cron')
  async cron(): Promise<void> {
    this.ticks += 1;
  }

  @Interval(60_000)
  @DistributedLock('foreign:interval')
  async interval(): Promise<void> {}

  @LeaderOnly('foreign:leader')
  async lead(): Promise<string | undefined> {
    return 'led';
  }
}

@Controller('guarded')
class Guarded {
  @Get('decorator')
  @DistributedLock('foreign:decorator')
  async decorated(): Promise<object> {
    return { lock: currentLock()?.name };
  }

  @Get('interceptor')
  @UseDistributedLock({ key: 'foreign:interceptor' })
  async intercepted(): Promise<object> {
    return { lock: currentLock()?.name };
  }
}

@SetMetadata('websockets:is_gateway', true)
@Injectable()
class Gateway {
  @DistributedLock('foreign:gateway')
  async handle(): Promise<void> {}
}

class Plain {
  @DistributedLock('foreign:plain')
  async run(): Promise<string | undefined> {
    return currentLock()?.name;
  }

  @LeaderOnly('foreign:plain leader')
  async lead(): Promise<string | undefined> {
    return 'led';
  }
}

/** A Proxy whose methods run on the object behind it, as instrumentation and nestjs-cls make them. */
function bindingProxy<T extends object>(target: T): T {
  return new Proxy(target, {
    get: (behind, key) => {
      const value: unknown = Reflect.get(behind, key);
      return typeof value === 'function' ? value.bind(behind) : value;
    },
  });
}

/** Every form of a provider, with values that are not the library's. */
function formsOf(foreign: ForeignValues): Record<string, Provider> {
  const proxy = (value: string, target: object = {}) => foreign.proxy(value, target);
  const revoked = Proxy.revocable({}, {});
  const inherited: object = Object.create(proxy('prototype'));
  class Opaque {
    readonly field?: number;

    constructor() {
      return proxy('constructor result', this);
    }
  }
  class Hidden {
    readonly field?: number;
  }
  const forms: Record<string, Provider> = {
    'useClass, whose constructor returns a Proxy': { provide: 'class', useClass: Opaque },
    'a class behind a Proxy': { provide: 'class proxy', useClass: bindingProxy(Hidden) },
    'useValue: an object': { provide: 'object', useValue: { addCronJob: 7 } },
    'useValue: a Proxy': { provide: 'proxy', useValue: proxy('useValue') },
    'useValue: a Proxy of a function': { provide: 'callable', useValue: proxy('function', () => 7) },
    'useValue: a Proxy of a guarded instance': {
      provide: 'guarded',
      useValue: proxy('guarded', new Plain()),
    },
    'useValue: an object without a prototype': { provide: 'bare', useValue: Object.create(null) },
    'useValue: an object with a Proxy as its prototype': { provide: 'inherited', useValue: inherited },
    'useValue: getters that throw': { provide: 'thrower', useValue: foreign.thrower('thrower') },
    'useValue: a function': { provide: 'function', useValue: () => 7 },
    'useValue: null': { provide: 'null', useValue: null },
    'useValue: a text': { provide: 'text', useValue: 'text' },
    'useValue: frozen': { provide: 'frozen', useValue: Object.freeze({ a: 1 }) },
    'useValue: an array, a map, a date': { provide: 'built-in', useValue: [new Map(), new Date()] },
    'useFactory: a Proxy': { provide: 'made', useFactory: () => proxy('useFactory') },
    'useFactory: a Proxy, later': {
      provide: 'made later',
      useFactory: async () => proxy('async useFactory'),
    },
    'useFactory: a factory that is a Proxy': {
      provide: 'proxied factory',
      useFactory: new Proxy(() => ({}), {}),
    },
    'useFactory: undefined': { provide: 'nothing', useFactory: () => undefined },
    'useFactory per request': {
      provide: 'per request',
      scope: Scope.REQUEST,
      useFactory: () => proxy('per request'),
    },
    'useFactory for each consumer': {
      provide: 'transient',
      scope: Scope.TRANSIENT,
      useFactory: () => proxy('transient'),
    },
    useExisting: { provide: 'existing', useExisting: 'proxy' },
  };
  // Nest itself asks a value for its prototype, to tell promises: no application boots with a revoked one as a value of its own.
  return {
    ...forms,
    'a revoked Proxy inside a value': { provide: 'revoked', useValue: { at: revoked.proxy } },
  };
}

let stage: DoorStage;
let foreign: ForeignValues;
beforeEach(() => {
  stage = new DoorStage();
  foreign = new ForeignValues();
});
afterEach(async () => {
  // Tokens outlive their locks, so that they go on rising.
  const tokens = await stage.services.admin.keys(`redisson_lock_token:*${stage.services.prefix}*`);
  if (tokens.length > 0) await stage.services.admin.del(tokens);
  await stage.close();
});

const PARTS = { controllers: [Guarded], guarded: [Jobs, Gateway] };

describe('an application whose providers have every form', () => {
  test('boots, serves, ticks and closes without one access of the library to them', async () => {
    const app = await stage.start({
      imports: [
        ScheduleModule.forRoot(),
        TerminusModule,
        DistributedLockMetricsModule.forRoot(),
        DistributedLockTracingModule.forRoot(),
      ],
      controllers: PARTS.controllers,
      providers: [...PARTS.guarded, DistributedLockHealthIndicator, ...Object.values(formsOf(foreign))],
    });
    expect(foreign.ours).toEqual([]);
    for (const door of ['decorator', 'interceptor']) {
      expect(await request(app, `/guarded/${door}`)).toMatchObject({
        status: 200,
        body: { lock: `foreign:${door}` },
      });
    }
    const jobs = app.get(Jobs);
    await until('a tick has run', () => jobs.ticks > 0);
    await expect(jobs.lead()).resolves.toBe('led');
    await expect(app.get(DistributedLockHealthIndicator).isHealthy('locks')).resolves.toMatchObject({
      locks: { status: 'up' },
    });
    await app.close();
    expect(foreign.ours).toEqual([]);
    expect(foreign.all.length).toBeGreaterThan(0);
  });

  test('does so with the testing module', async () => {
    const app = await stage.boot({
      imports: [ScheduleModule.forRoot(), DistributedLockTestingModule.forRoot()],
      controllers: PARTS.controllers,
      providers: [...PARTS.guarded, ...Object.values(formsOf(foreign))],
    });
    const jobs = app.get(Jobs);
    await until('a tick has run', () => jobs.ticks > 0);
    await app.close();
    expect(foreign.ours).toEqual([]);
    expect(foreign.all.length).toBeGreaterThan(0);
  });

  test.each(Object.keys(formsOf(new ForeignValues())))('boots with one form alone: %s', async (form) => {
    const { [form]: provider = { provide: 'none', useValue: 0 }, 'useValue: a Proxy': existing } =
      formsOf(foreign);
    const app = await stage.start({
      imports: [ScheduleModule.forRoot()],
      providers: [Jobs, provider, ...(existing === undefined ? [] : [existing])],
    });
    await app.close();
    expect(foreign.ours).toEqual([]);
  });
});

describe('a guarded instance behind a Proxy', () => {
  const forms: [string, () => Provider][] = [
    ['useValue', () => ({ provide: Plain, useValue: bindingProxy(new Plain()) })],
    ['useValue, with the Proxy as this', () => ({ provide: Plain, useValue: new Proxy(new Plain(), {}) })],
    ['useFactory', () => ({ provide: Plain, useFactory: () => bindingProxy(new Plain()) })],
    ['an async useFactory', () => ({ provide: Plain, useFactory: async () => bindingProxy(new Plain()) })],
  ];

  test.each(forms)('runs under its lock: %s', async (_, make) => {
    const app = await stage.start({ providers: [make()] });
    await expect(app.get(Plain).run()).resolves.toBe('foreign:plain');
    await stage.hold('foreign:plain');
    await expect(app.get(Plain).run()).rejects.toMatchObject({ code: 'NOT_ACQUIRED' });
  });

  test('stands for election from its first call on', async () => {
    const app = await stage.start({ providers: [{ provide: Plain, useValue: bindingProxy(new Plain()) }] });
    await until('it leads', async () => (await app.get(Plain).lead()) === 'led');
    await expect(app.get(Plain).lead()).resolves.toBe('led');
  });

  test('that a factory makes for each request runs under its lock', async () => {
    const app = await stage.start({
      providers: [{ provide: Plain, scope: Scope.REQUEST, useFactory: () => new Plain() }],
    });
    const plain = await app.resolve(Plain);
    await expect(plain.run()).resolves.toBe('foreign:plain');
  });

  test('belongs to its own application, where the Proxy is this', async () => {
    const start = async (prefix: string) =>
      await stage.start({
        options: { namePrefix: `${stage.services.prefix}${prefix}:` },
        providers: [{ provide: Plain, useValue: new Proxy(new Plain(), {}) }],
      });
    const [one, other] = [await start('1'), await start('2')];
    await one
      .get(LockService)
      .getLock('foreign:plain')
      .using(async () => {
        await expect(other.get(Plain).run()).resolves.toBe('foreign:plain');
      });
  });

  test("is refused with a sentence where it may be another application's", async () => {
    const start = async () =>
      await stage.start({ providers: [{ provide: Plain, useValue: bindingProxy(new Plain()) }] });
    const [one, other] = [await start(), await start()];
    await expect(one.get(Plain).run()).rejects.toMatchObject({ code: 'NOT_BOUND' });
    await other.close();
    await expect(one.get(Plain).run()).resolves.toBe('foreign:plain');
  });
});

test('an application context without a server boots, too', async () => {
  @Module({
    imports: [ScheduleModule.forRoot(), stage.locks()],
    providers: [Jobs, ...Object.values(formsOf(foreign))],
  })
  class AppModule {}
  const app = await NestFactory.createApplicationContext(AppModule, { logger: false, abortOnError: false });
  await app.close();
  expect(foreign.ours).toEqual([]);
});
