import { Scope, type Provider } from '@nestjs/common';
import { currentLock, DistributedLock, LeaderOnly, LockService } from 'nestjs-distributed-lock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../support/until.js';
import { DoorStage } from './door.stage.js';

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

let stage: DoorStage;
beforeEach(() => {
  stage = new DoorStage();
});
afterEach(async () => {
  // Tokens outlive their locks, so that they go on rising.
  const tokens = await stage.services.admin.keys(`redisson_lock_token:*${stage.services.prefix}*`);
  if (tokens.length > 0) await stage.services.admin.del(tokens);
  await stage.close();
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
