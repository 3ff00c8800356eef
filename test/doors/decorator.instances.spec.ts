import { inspect } from 'node:util';
import {
  Controller,
  Get,
  Inject,
  Injectable,
  Module,
  Param,
  Scope,
  UseGuards,
  type CanActivate,
  type OnModuleInit,
} from '@nestjs/common';
import { ContextIdFactory, LazyModuleLoader, REQUEST } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import {
  currentLock,
  DistributedLock,
  InjectLockService,
  LockService,
  lockServiceToken,
} from 'nestjs-distributed-lock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DoorStage, request } from './door.stage.js';

@Injectable()
class Base {
  @DistributedLock('base')
  async run(): Promise<unknown[]> {
    return [currentLock()?.name, currentLock()?.holder];
  }

  @DistributedLock('inherited')
  async inherited() {
    return currentLock()?.name;
  }
}

@Injectable()
class Derived extends Base {
  @DistributedLock('base')
  override async run(): Promise<unknown[]> {
    return [currentLock()?.holder, ...(await super.run())];
  }
}

@Injectable()
class Unguarded extends Base {
  override async run(): Promise<unknown[]> {
    return ['mine', currentLock()?.name, ...(await super.run())];
  }
}

@Injectable({ scope: Scope.REQUEST })
class PerRequest {
  constructor(@Inject(REQUEST) readonly scope: { readonly url?: string } | undefined) {}

  @DistributedLock('request')
  async run() {
    return { url: this.scope?.url, lock: currentLock()?.name };
  }
}

@Controller({ path: 'scoped', scope: Scope.REQUEST })
class ScopedController {
  constructor(private readonly perRequest: PerRequest) {}

  @Get(':id')
  @DistributedLock((id: string) => `scoped:${id}`)
  async get(@Param('id') _id: string) {
    return { ...(await this.perRequest.run()), outer: currentLock()?.name };
  }
}

@Injectable({ scope: Scope.TRANSIENT })
class Transient {
  @DistributedLock('transient')
  async run() {
    return currentLock()?.name;
  }
}

@Injectable({ scope: Scope.REQUEST, durable: true })
class Tenant {
  constructor(@Inject(REQUEST) private readonly tenant: { readonly id: string }) {}

  @DistributedLock('tenant')
  async run() {
    return `${this.tenant.id} ${currentLock()?.name}`;
  }
}

@Injectable()
class Gate implements CanActivate {
  @DistributedLock('gate')
  async canActivate() {
    return currentLock()?.name === 'gate';
  }
}

@Controller('gated')
class Gated {
  @Get('class')
  @UseGuards(Gate)
  byClass() {
    return { ok: true };
  }
}

class Plain {
  name = 'plain';

  @DistributedLock('plain')
  async run() {
    return currentLock()?.name;
  }
}

@Injectable()
class Early implements OnModuleInit {
  found: unknown;

  constructor(@Inject(Plain) private readonly plain: Plain) {}

  async onModuleInit() {
    this.found = await this.plain.run();
  }
}

@Injectable()
class Jobs {
  constructor(
    @InjectLockService('jobs') readonly locks: LockService,
    @InjectLockService() readonly unnamed: LockService,
  ) {}

  @DistributedLock('job', { service: 'jobs' })
  async run() {
    return currentLock()?.holder;
  }
}

let stage: DoorStage;
beforeEach(() => {
  stage = new DoorStage();
});
afterEach(() => stage.close());

describe('classes that Nest makes', () => {
  test('an inherited method is guarded', async () => {
    const app = await stage.start({ providers: [Derived] });
    await expect(app.get(Derived).inherited()).resolves.toBe('inherited');
  });

  test('an override that is guarded as well re-enters by super', async () => {
    const app = await stage.start({ providers: [Derived] });
    const [outer, name, inner] = await app.get(Derived).run();
    expect(name).toBe('base');
    expect(inner).toBe(outer);
  });

  test('an override without the decorator is guarded only where it calls super', async () => {
    const app = await stage.start({ providers: [Unguarded] });
    const [mine, outside, inside] = await app.get(Unguarded).run();
    expect([mine, outside, inside]).toEqual(['mine', undefined, 'base']);
  });

  test('request-scoped controllers and providers are guarded', async () => {
    const app = await stage.start({ controllers: [ScopedController], providers: [PerRequest] });
    expect((await request(app, '/scoped/7')).body).toEqual({
      url: '/scoped/7',
      lock: 'request',
      outer: 'scoped:7',
    });
    await stage.hold('request');
    expect((await request(app, '/scoped/7')).status).toBe(423);
  });

  test('request-scoped providers resolved by hand, and transient ones, are guarded', async () => {
    const app = await stage.start({ providers: [PerRequest, Transient] });
    const scoped = await app.resolve(PerRequest, ContextIdFactory.create());
    await expect(scoped.run()).resolves.toMatchObject({ lock: 'request' });
    await expect((await app.resolve(Transient)).run()).resolves.toBe('transient');
  });

  test('enhancers are guarded', async () => {
    const app = await stage.start({ controllers: [Gated] });
    expect(await request(app, '/gated/class')).toMatchObject({ status: 200 });
  });

  test('the service is hidden from code that logs, compares or copies an instance', async () => {
    const app = await stage.start({ providers: [Base, { provide: Plain, useFactory: () => new Plain() }] });
    expect(inspect(app.get(Base))).toBe('Base {}');
    expect(app.get(Plain)).toEqual(Object.assign(new Plain(), {}));
    expect(Reflect.ownKeys({ ...app.get(Plain) })).toEqual(['name']);
  });

  test('a missing module fails the boot with a sentence that names what to import', async () => {
    await expect(stage.boot({ providers: [Base] })).rejects.toThrow(
      /LockService \(import DistributedLockModule\.forRoot\(\) in your root module\)/,
    );
  });

  test('a missing named module fails the boot, too', async () => {
    await expect(stage.start({ providers: [Jobs] })).rejects.toThrow(/forRoot\(\) with name: 'jobs'/);
  });
});

describe('instances that Nest makes later', () => {
  test('durable ones, which requests of one tenant share, are guarded', async () => {
    const app = await stage.start({ providers: [Tenant] });
    const resolve = async (id: string) => {
      const context = ContextIdFactory.create();
      app.registerRequestByContextId({ id }, context);
      return await app.resolve(Tenant, context);
    };
    const tenants = await Promise.all(['a', 'b'].map(resolve));
    await expect(tenants[0]?.run()).resolves.toBe('a tenant');
    await expect(tenants[1]?.run()).resolves.toBe('b tenant');
  });

  test('those of a module that is loaded later are guarded, also from a factory', async () => {
    @Module({ providers: [Derived, { provide: Plain, useFactory: () => new Plain() }] })
    class LazyModule {}
    const app = await stage.start({});
    const loaded = await app.get(LazyModuleLoader).load(() => LazyModule);
    await expect(loaded.get(Derived).inherited()).resolves.toBe('inherited');
    await expect(loaded.get(Plain).run()).resolves.toBe('plain');
  });
});

describe('instances that Nest did not make', () => {
  test.each([
    ['useFactory', { provide: Plain, useFactory: () => new Plain() }],
    ['an async useFactory', { provide: Plain, useFactory: async () => new Plain() }],
    ['useValue', { provide: Plain, useValue: new Plain() }],
  ])('from %s are guarded before any hook of another module runs', async (_, provider) => {
    const app = await stage.start({ providers: [provider, Early] });
    expect(app.get(Early).found).toBe('plain');
  });

  test('that are not bound throw a sentence when they are called', async () => {
    await expect(new Plain().run()).rejects.toMatchObject({
      code: 'NOT_BOUND',
      message: expect.stringMatching(
        /^Plain\.run was called on an instance without a LockService\. Import DistributedLockModule/,
      ),
    });
  });

  test('that were called without an instance throw the same', async () => {
    const { run } = Plain.prototype;
    await expect(Reflect.apply(run, undefined, [])).rejects.toMatchObject({ code: 'NOT_BOUND' });
  });

  test('that an auto-mocking test made throw a sentence that names the testing module', async () => {
    // What mocking libraries give for whatever is missing: every property is a function.
    const mock = () => new Proxy({}, { get: (_, key) => (key === 'then' ? undefined : () => undefined) });
    const app = await Test.createTestingModule({ providers: [Plain] })
      .useMocker(mock)
      .compile();
    await expect(app.get(Plain).run()).rejects.toMatchObject({
      code: 'NOT_BOUND',
      message: expect.stringContaining('a mock of the LockService'),
    });
    await app.close();
  });

  test('that are frozen fail the boot', async () => {
    const frozen = { provide: Plain, useValue: Object.freeze(new Plain()) };
    await expect(stage.start({ providers: [frozen] })).rejects.toMatchObject({
      code: 'NOT_BOUND',
      message: expect.stringContaining('Plain is frozen'),
    });
  });
});

describe('several services', () => {
  test('two applications of one process each use their own', async () => {
    const first = await stage.start({
      providers: [Base],
      options: { namePrefix: `${stage.services.prefix}1:` },
    });
    const second = await stage.start({
      providers: [Base],
      options: { namePrefix: `${stage.services.prefix}2:` },
    });
    const [[, one], [, two]] = await Promise.all([first.get(Base).run(), second.get(Base).run()]);
    expect(String(one).split(':')[0]).not.toBe(String(two).split(':')[0]);
    const locks = first.get(LockService);
    await locks.getLock('base').using(async () => {
      await expect(first.get(Base).run()).resolves.toContain('base');
      await expect(second.get(Base).run()).resolves.toContain('base');
    });
    await first.close();
    await expect(second.get(Base).run()).resolves.toContain('base');
  });

  test('the same instance in a later application uses the later one', async () => {
    const shared = { provide: Plain, useValue: new Plain() };
    await (await stage.start({ providers: [shared] })).close();
    const app = await stage.start({ providers: [shared] });
    await expect(app.get(Plain).run()).resolves.toBe('plain');
  });

  test('named instances are chosen by name', async () => {
    const app = await stage.start({ imports: [stage.locks({}, { name: 'jobs' })], providers: [Jobs, Base] });
    const jobs = app.get(Jobs);
    expect(jobs.locks).toBe(app.get(lockServiceToken('jobs')));
    expect(jobs.unnamed).toBe(app.get(LockService));
    expect(jobs.locks).not.toBe(jobs.unnamed);
    const [, holder] = await app.get(Base).run();
    expect(String(await jobs.run()).split(':')[0]).not.toBe(String(holder).split(':')[0]);
  });

  test('one that is not global serves the modules that import it', async () => {
    const locks = stage.locks({}, { isGlobal: false });
    @Module({ imports: [locks], providers: [Base], exports: [Base] })
    class Feature {}
    const app = await stage.boot({ imports: [Feature] });
    await expect(app.get(Base).inherited()).resolves.toBe('inherited');
    await expect(stage.boot({ imports: [locks, Feature], providers: [Transient] })).resolves.toBeDefined();
    @Module({ providers: [Derived] })
    class Elsewhere {}
    await expect(stage.boot({ imports: [locks, Elsewhere] })).rejects.toThrow(/LockService/);
  });
});
