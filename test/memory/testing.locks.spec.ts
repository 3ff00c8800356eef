import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Controller, Get, Injectable, Module, type DynamicModule } from '@nestjs/common';
import { Cron, ScheduleModule } from '@nestjs/schedule';
import { Test, type TestingModule, type TestingModuleBuilder } from '@nestjs/testing';
import {
  DistributedLock,
  DistributedLockModule,
  InjectLockService,
  LockNotAcquiredError,
  LockService,
  lockServiceToken,
  type DistributedLockModuleOptions,
} from 'nestjs-distributed-lock';
import { DistributedLockMetricsModule } from 'nestjs-distributed-lock/metrics';
import { DistributedLockTracingModule } from 'nestjs-distributed-lock/tracing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  DistributedLockTestingModule,
  LockTestingControl,
  MemoryStore,
  withTestingLocks,
} from '../../libs/distributed-lock/src/testing/index.js';

@Injectable()
class Accounts {
  nights = 0;

  constructor(@InjectLockService() readonly locks: LockService) {}

  @DistributedLock((id: string) => `account:${id}`)
  async withdraw(id: string): Promise<string> {
    return id;
  }

  @Cron('0 3 * * *', { timeZone: 'UTC' })
  @DistributedLock('nightly')
  async invoice(): Promise<void> {
    this.nights += 1;
  }
}

@Injectable()
class Named {
  @DistributedLock('named', { service: 'jobs' })
  async run(): Promise<string> {
    return 'ran';
  }
}

/** Where Redis is said to be; counts who connects. */
let server: Server;
let connections = 0;
const apps: TestingModule[] = [];

beforeEach(async () => {
  connections = 0;
  server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
  await new Promise((resolve) => server.close(resolve));
  if (connections > 0) throw new Error(`${connections} connections were attempted`);
});

function options(): DistributedLockModuleOptions {
  const { port } = server.address() as AddressInfo;
  return { redis: `redis://127.0.0.1:${port}`, namePrefix: 'app:', busyStatus: 409 };
}

class Options {
  createLockOptions(): DistributedLockModuleOptions {
    return options();
  }
}

const WAYS: [string, () => DynamicModule][] = [
  ['forRoot', () => DistributedLockModule.forRoot(options())],
  ['forRootAsync with a factory', () => DistributedLockModule.forRootAsync({ useFactory: () => options() })],
  ['forRootAsync with a class', () => DistributedLockModule.forRootAsync({ useClass: Options })],
  [
    'a module that is not global',
    () => DistributedLockModule.forRoot({ ...options(), isGlobal: false, refusalFilter: false }),
  ],
];

function builderOf(locks: DynamicModule): TestingModuleBuilder {
  @Module({ imports: [ScheduleModule.forRoot(), locks], providers: [Accounts] })
  class AppModule {}
  return Test.createTestingModule({ imports: [AppModule] });
}

async function started(builder: TestingModuleBuilder): Promise<TestingModule> {
  const app = await builder.compile();
  apps.push(app);
  app.useLogger(false);
  return await app.init();
}

describe.each(WAYS)('withTestingLocks() of an application with %s', (_, locks) => {
  test('takes its locks in memory, with its options', async () => {
    const app = await started(withTestingLocks(builderOf(locks())));
    const control = LockTestingControl.of(app);
    const { settings } = app.get(LockService, { strict: false });
    expect([settings.mapName('x'), settings.busyStatus]).toEqual(['app:x', 409]);
    const other = await control.holdBy('other', 'account:7');
    const accounts = app.get(Accounts, { strict: false });
    await expect(accounts.withdraw('7')).rejects.toMatchObject({ code: 'NOT_ACQUIRED' });
    await other.release();
    await expect(accounts.withdraw('7')).resolves.toBe('7');
  });

  test('runs its ticks, once for the applications of one store', async () => {
    const store = new MemoryStore();
    const both = [
      await started(withTestingLocks(builderOf(locks()), { store })),
      await started(withTestingLocks(builderOf(locks()), { store })),
    ];
    const controls = both.map((app) => LockTestingControl.of(app));
    await expect(controls[0]?.advanceTick('nightly')).resolves.toMatchObject([{ ran: true }]);
    const nights = both.map((app) => app.get(Accounts, { strict: false }).nights);
    expect(nights.toSorted()).toEqual([0, 1]);
  });
});

test('withTestingLocks() takes each named instance, on one store', async () => {
  @Module({
    imports: [
      DistributedLockModule.forRoot(options()),
      DistributedLockModule.forRootAsync({ name: 'jobs', useFactory: () => options() }),
    ],
    providers: [Accounts, Named],
  })
  class AppModule {}
  const app = await started(withTestingLocks(Test.createTestingModule({ imports: [AppModule] })));
  expect(app.get(lockServiceToken('jobs'), { strict: false })).not.toBe(app.get(LockService));
  await using _ = await LockTestingControl.of(app, 'jobs').holdBy('other', 'named');
  await expect(app.get(Named).run()).rejects.toMatchObject({ code: 'NOT_ACQUIRED' });
  expect(LockTestingControl.of(app, 'jobs').store).toBe(LockTestingControl.of(app).store);
});

test('withTestingLocks() takes red locks without their servers', async () => {
  const { redis } = options();
  const locks = DistributedLockModule.forRoot({ redis, redLock: { servers: [redis, redis, redis] } });
  const app = await started(withTestingLocks(builderOf(locks)));
  const red = app.get(LockService, { strict: false }).getRedLock('red');
  await expect(red.using(() => 'held')).resolves.toBe('held');
});

test('overrideModule() takes the module that the application imports', async () => {
  const locks = DistributedLockModule.forRoot(options());
  const app = await started(
    builderOf(locks).overrideModule(locks).useModule(DistributedLockTestingModule.forRoot()),
  );
  expect(LockTestingControl.of(app).store).toBe(app.get(LockTestingControl, { strict: false }).store);
  await expect(app.get(Accounts, { strict: false }).withdraw('7')).resolves.toBe('7');
});

test('overrideProvider() of the service connects to nothing, and guards say that they have a mock', async () => {
  const mock = { getLock: () => ({ using: async () => 'mocked' }) };
  const app = await started(
    builderOf(DistributedLockModule.forRoot(options())).overrideProvider(LockService).useValue(mock),
  );
  const accounts = app.get(Accounts, { strict: false });
  expect(accounts.locks).toBe(mock);
  await expect(accounts.withdraw('7')).rejects.toMatchObject({ code: 'NOT_BOUND' });
});

test('overrideProvider() of the service leaves metrics, traces and refusals to a test of its own', async () => {
  const busy = new LockNotAcquiredError('7', 0, {});
  const mock = { using: () => Promise.reject(busy) };
  @Controller()
  class Rooms {
    @Get()
    async book(): Promise<unknown> {
      return await mock.using();
    }
  }
  @Module({
    imports: [
      DistributedLockModule.forRoot(options()),
      DistributedLockMetricsModule.forRoot(),
      DistributedLockTracingModule.forRoot(),
    ],
    controllers: [Rooms],
  })
  class AppModule {}
  const builder = Test.createTestingModule({ imports: [AppModule] });
  const module = await started(builder.overrideProvider(LockService).useValue(mock));
  const app = module.createNestApplication({ logger: false });
  await app.listen(0, '127.0.0.1');
  const response = await fetch(await app.getUrl());
  expect([response.status, response.headers.get('retry-after')]).toEqual([423, '1']);
  await app.close();
});

test('overrideProvider() of a named service connects to nothing', async () => {
  const token = lockServiceToken('jobs');
  const locks = DistributedLockModule.forRoot({ ...options(), name: 'jobs' });
  const builder = Test.createTestingModule({ imports: [locks], providers: [Named] });
  const app = await started(builder.overrideProvider(token).useValue({}));
  await expect(app.get(Named).run()).rejects.toMatchObject({ code: 'NOT_BOUND' });
});

test('the controls of an application on Redis are refused with a sentence', () => {
  const app = { get: <T>(token: unknown) => (token === lockServiceToken() ? {} : []) as T };
  expect(() => LockTestingControl.of(app)).toThrow(
    expect.objectContaining({
      code: 'NOT_BOUND',
      remedy: 'Pass its TestingModuleBuilder to withTestingLocks(), or import DistributedLockTestingModule.',
    }),
  );
});
