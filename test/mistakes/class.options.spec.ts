import { Test } from '@nestjs/testing';
import { DistributedLockModule, LockService } from 'nestjs-distributed-lock';
import { DistributedLockDashboardModule } from 'nestjs-distributed-lock/dashboard';
import { DistributedLockTestingModule, withTestingLocks } from 'nestjs-distributed-lock/testing';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { ownOptions } from '../../libs/distributed-lock/src/options/option.checks.js';
import { sourceForClient } from '../support/client.choice.js';
import { Services } from '../support/services.js';
import { act, startBoard } from '../dashboard/board.stage.js';

const services = new Services();
afterEach(() => services.close());

/** Options as a class: nothing of it is an enumerable property of the object. */
class LockOptions {
  readonly #tenant: string;

  constructor(tenant: string) {
    this.#tenant = tenant;
  }

  get redis() {
    return sourceForClient(inject('redisUrl'));
  }

  get lockWatchdogTimeout() {
    return 7000;
  }

  get instanceInfo() {
    return false;
  }

  nameMapper(name: string): string {
    return `${services.prefix}${this.#tenant}/${name}`;
  }
}

/** Options of a dashboard with a helper beside them. */
class HelpedPage {
  allow(): boolean {
    return this.allowed();
  }

  allowed(): boolean {
    return false;
  }
}

const optionsOfEu = () => new LockOptions('eu');

describe('options that are an instance of a class', () => {
  test.each([
    ['forRoot', () => DistributedLockModule.forRoot(optionsOfEu())],
    ['forRootAsync', () => DistributedLockModule.forRootAsync({ useFactory: optionsOfEu })],
    ['forRoot for tests', () => DistributedLockTestingModule.forRoot(optionsOfEu())],
    ['forRootAsync for tests', () => DistributedLockTestingModule.forRootAsync({ useFactory: optionsOfEu })],
  ])('apply with the methods and accessors of the class: %s', async (_, locksModule) => {
    const module = await Test.createTestingModule({ imports: [locksModule()] }).compile();
    const locks = module.get(LockService);
    expect(locks.settings.watchdogTimeout).toBe(7000);
    expect(locks.settings.mapName('a')).toBe(`${services.prefix}eu/a`);
    await module.close();
  });

  test('apply where a test replaces Redis by locks in memory', async () => {
    const builder = Test.createTestingModule({ imports: [DistributedLockModule.forRoot(optionsOfEu())] });
    const module = await withTestingLocks(builder).compile();
    expect(module.get(LockService).settings.watchdogTimeout).toBe(7000);
    await module.close();
  });

  test('decide about each action of a dashboard', async () => {
    class Page {
      readonly #denied = 'forget';

      get guards() {
        return [];
      }

      get title() {
        return 'Shop';
      }

      allow(_request: unknown, { action }: { readonly action: string }): boolean {
        return action !== this.#denied;
      }

      userOf(): string {
        return 'ada';
      }
    }
    const redis = sourceForClient(inject('redisUrl'));
    const board = await startBoard({
      redis,
      settings: { namePrefix: services.prefix },
      dashboard: new Page(),
    });
    try {
      const root = `${board.origin}/locks`;
      expect(await (await fetch(`${root}/api/about`)).json()).toMatchObject({
        title: 'Shop',
        isReadOnly: false,
      });
      await board.locks.runOnce('a', 1, () => undefined);
      expect((await act(root, { action: 'forget', job: 'a' })).status).toBe(403);
      expect((await act(root, { action: 'pause', job: 'a' })).status).toBe(200);
      expect(await board.locks.jobs.status('a')).toMatchObject({ pausedBy: 'ada' });
      await board.locks.jobs.forget('a');
    } finally {
      await board.app.close();
    }
  });

  test('are refused with a member whose name is nearly that of an option', () => {
    class Page {
      alow(): boolean {
        return false;
      }
    }
    expect(() => DistributedLockDashboardModule.forRoot(Object(new Page()))).toThrow('did you mean allow?');
    class Locks extends LockOptions {
      get waitTimes() {
        return {};
      }
    }
    expect(() => DistributedLockModule.forRoot(new Locks('eu'))).toThrow('did you mean waitTime?');
  });

  test('may have helpers beside their options whose names are similar', () => {
    expect(DistributedLockDashboardModule.forRoot(new HelpedPage())).toBeDefined();
  });

  test('may override a helper of a class above', () => {
    class AdminPage extends HelpedPage {
      override allowed(): boolean {
        return true;
      }
    }
    expect(DistributedLockDashboardModule.forRoot(new AdminPage())).toBeDefined();
  });

  test('are refused when a class misspells an option that a class above it has', () => {
    class Base {
      allow(): boolean {
        return true;
      }
    }
    class Page extends Base {
      alow(): boolean {
        return false;
      }
    }
    expect(() => DistributedLockDashboardModule.forRoot(new Page())).toThrow('did you mean allow?');
  });

  test.each(['in a class', 'in a literal'])(
    'are refused from the factory of a dashboard, %s, with what belongs next to it',
    async (place) => {
      class Page {
        get guards() {
          return [];
        }
      }
      const page = place === 'in a class' ? new Page() : { guards: [] };
      const imports = [
        DistributedLockTestingModule.forRoot(),
        DistributedLockDashboardModule.forRootAsync({ useFactory: () => Object(page) }),
      ];
      await expect(Test.createTestingModule({ imports }).compile()).rejects.toThrow(
        'guards belongs next to useFactory',
      );
    },
  );

  test('tell a test nothing of where Redis is', async () => {
    class Locks extends LockOptions {
      override get redis(): never {
        throw new Error('a test has no address');
      }
    }
    const modules = [
      DistributedLockTestingModule.forRoot(new Locks('eu')),
      DistributedLockTestingModule.forRootAsync({ useFactory: () => new Locks('eu') }),
    ];
    for (const locks of modules) {
      const module = await Test.createTestingModule({ imports: [locks] }).compile();
      expect(module.get(LockService).settings.watchdogTimeout).toBe(7000);
      await module.close();
    }
  });

  test('have their groups checked, which may be accessors as well', async () => {
    class Locks extends LockOptions {
      get waitTime() {
        return { lok: '1s' };
      }
    }
    const locks = DistributedLockModule.forRootAsync({ useFactory: () => new Locks('eu') as never });
    await expect(Test.createTestingModule({ imports: [locks] }).compile()).rejects.toThrow(
      'did you mean lock?',
    );
  });

  test('are refused with a member that is no function, before anything is mounted', () => {
    class Page {
      get allow() {
        return 'everybody';
      }
    }
    // @ts-expect-error: no function
    expect(() => DistributedLockDashboardModule.forRoot(new Page())).toThrow('allow of the dashboard');
  });
});

describe('ownOptions', () => {
  const plan = { known: new Set(['address', 'prefix', 'mapper']), where: 'of a test' };

  test('leaves a literal, and an object without a prototype, as it is', () => {
    for (const options of [{ address: 1 }, Object.assign(Object.create(null), { address: 1 })])
      expect(ownOptions(options, plan)).toBe(options);
  });

  test('has the known members of an instance and of the classes above, and no others', () => {
    class Base {
      get address() {
        return 1;
      }
    }
    class Options extends Base {
      readonly prefix = undefined;

      mapper() {
        return this.address;
      }

      unrelated() {}
    }
    const own: Partial<Options> = ownOptions(new Options(), plan);
    expect(Object.keys(own)).toEqual(['address', 'prefix', 'mapper']);
    const { mapper } = own;
    expect(mapper?.()).toBe(1);
  });
});
