import { setTimeout as sleep } from 'node:timers/promises';
import { HttpException, Injectable } from '@nestjs/common';
import {
  assertLocked,
  currentLock,
  DistributedLock,
  LockConfigurationError,
  LockNotAcquiredError,
  LockService,
  LockUnavailableError,
  type BusyContext,
} from 'nestjs-distributed-lock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import { DoorStage } from './door.stage.js';

interface Order {
  readonly id?: string | number | null | object;
}

const BUSINESS = new HttpException('out of stock', 409);
const ran: string[] = [];

@Injectable()
class Orders {
  inside = 0;
  most = 0;

  constructor(private readonly locks: LockService) {}

  @DistributedLock('plain', { waitTime: '5s' })
  async count() {
    this.inside += 1;
    this.most = Math.max(this.most, this.inside);
    await sleep(2);
    this.inside -= 1;
  }

  @DistributedLock('seen')
  async see() {
    assertLocked('seen');
    return currentLock();
  }

  @DistributedLock('order:{0.id}')
  async byTemplate(_order: Order) {
    return currentLock()?.name;
  }

  @DistributedLock((order: { id: string }, line: number) => `order:${order.id}:${line}`)
  async byFunction(_order: { id: string }, _line: number, _note: string) {
    return currentLock()?.name;
  }

  @DistributedLock('fails')
  async fail(): Promise<void> {
    throw BUSINESS;
  }

  @DistributedLock('fails')
  failAtOnce(): Promise<void> {
    throw BUSINESS;
  }

  @DistributedLock('busy')
  async insist() {
    ran.push('insist');
  }

  @DistributedLock('busy', { onBusy: 'skip' })
  async skip() {
    ran.push('skip');
    return 'ran' as string | undefined;
  }

  @DistributedLock('busy', {
    waitTime: 30,
    onBusy: async ({ name, args, waited, holder }: BusyContext<[number]>) => ({ name, args, waited, holder }),
  })
  async answer(_value: number): Promise<object> {
    ran.push('answer');
    return {};
  }

  @DistributedLock('outer', { onBusy: 'skip' })
  async nest() {
    ran.push('side effect');
    await this.insist();
  }

  @DistributedLock('same')
  async outerCall() {
    return [currentLock()?.holder, await this.innerCall()];
  }

  @DistributedLock('same')
  async innerCall() {
    return [currentLock()?.holder, await this.locks.getLock('same').getHoldCount()];
  }

  @DistributedLock('short', { leaseTime: 100, onLost: 'throw' })
  async outlive() {
    await sleep(180);
    return currentLock()?.signal.aborted;
  }

  @DistributedLock('short', { leaseTime: 100 })
  async outliveQuietly() {
    await sleep(180);
    return currentLock()?.signal.aborted;
  }

  @DistributedLock('long')
  async outliveWatchdog(release: Promise<void>) {
    await release;
    return currentLock()?.isHeld;
  }

  @DistributedLock('waits', { waitTime: '2s' })
  async wait() {
    return 'waited';
  }
}

let stage: DoorStage;
let orders: Orders;
beforeEach(async () => {
  ran.length = 0;
  stage = new DoorStage();
  orders = (await stage.start({ providers: [Orders] })).get(Orders);
});
afterEach(() => stage.close());

describe('a decorated method', () => {
  test('runs one call at a time in the whole fleet', async () => {
    const other = (await stage.start({ providers: [{ provide: Orders, useValue: orders }] })).get(Orders);
    await Promise.all(Array.from({ length: 40 }, (_, call) => (call % 2 === 0 ? orders : other).count()));
    expect(orders.most).toBe(1);
    expect(await stage.services.keys()).toEqual([]);
  });

  test('finds its own handle inside', async () => {
    const lock = await orders.see();
    expect(lock?.name).toBe('seen');
    expect(lock?.isHeld).toBe(false);
    expect(lock?.tick).toBeUndefined();
  });

  test('waits up to waitTime and then runs', async () => {
    const held = await stage.hold('waits');
    const call = orders.wait();
    await sleep(20);
    await held.unlock();
    await expect(call).resolves.toBe('waited');
  });

  test('re-enters its own lock in a nested call, under the same holder', async () => {
    const [outer, [inner, count]] = (await orders.outerCall()) as [string, [string, number]];
    expect(inner).toBe(outer);
    expect(count).toBe(2);
    expect(await stage.services.keys()).toEqual([]);
  });

  test('lets a business error through untouched, thrown or rejected', async () => {
    await expect(orders.fail()).rejects.toBe(BUSINESS);
    await expect(orders.failAtOnce()).rejects.toBe(BUSINESS);
    expect(await stage.services.keys()).toEqual([]);
  });

  test('reports a lost lease by the signal, or with onLost: throw by an error', async () => {
    await expect(orders.outliveQuietly()).resolves.toBe(true);
    await expect(orders.outlive()).rejects.toMatchObject({ code: 'LOST', lock: 'short' });
  });
});

describe('the lock of a decorated method', () => {
  test('is renewed for as long as the method runs', async () => {
    const app = await stage.start({ providers: [Orders], options: { lockWatchdogTimeout: 1000 } });
    let end: () => void = () => undefined;
    const call = app.get(Orders).outliveWatchdog(new Promise((resolve) => (end = resolve)));
    await sleep(1500);
    const other = await stage.services.open();
    await expect(other.getLock('long').tryLock()).resolves.toBeNull();
    end();
    await expect(call).resolves.toBe(true);
  });

  test('is not freed by a caller that gave up waiting', async () => {
    const held = await stage.hold('busy');
    await expect(orders.answer(1)).resolves.toMatchObject({ name: 'busy' });
    expect(held.isHeld).toBe(true);
    await expect(orders.skip()).resolves.toBeUndefined();
  });

  test('leaves nothing in the process, however many names were used', async () => {
    const app = await stage.start({ providers: [Orders] });
    await Promise.all(Array.from({ length: 500 }, (_, id) => app.get(Orders).byTemplate({ id })));
    expect(app.get(LockService).engine.localLocks.size).toBe(0);
    expect(await stage.services.keys()).toEqual([]);
  });
});

describe('a refused call', () => {
  test('rejects by default, names the holder of the lock, and does not run', async () => {
    const held = await stage.hold('busy');
    const refusal: unknown = await orders.insist().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(LockNotAcquiredError);
    expect(refusal).toMatchObject({ code: 'NOT_ACQUIRED', lock: 'busy', heldBy: { holder: held.holder } });
    expect(ran).toEqual([]);
  });

  test('gives undefined with onBusy: skip', async () => {
    await stage.hold('busy');
    await expect(orders.skip()).resolves.toBeUndefined();
    expect(ran).toEqual([]);
  });

  test('that is skipped is noted at debug level, and not each time', async () => {
    const { holder } = await stage.hold('busy');
    await Promise.all(Array.from({ length: 50 }, () => orders.skip()));
    expect(stage.logged).toEqual([`debug: Orders.skip was not run: lock "busy" is held by ${holder}.`]);
  });

  test('returns the result of an onBusy function, which knows the call', async () => {
    const { holder } = await stage.hold('busy');
    const answer = await orders.answer(7);
    expect(answer).toMatchObject({ name: 'busy', args: [7], holder });
    expect(answer).toHaveProperty('waited', expect.any(Number));
    expect(ran).toEqual([]);
  });

  test('of a nested lock is not swallowed by the skip of the outer one', async () => {
    await stage.hold('busy');
    await expect(orders.nest()).rejects.toMatchObject({ code: 'NOT_ACQUIRED', lock: 'busy' });
    expect(ran).toEqual(['side effect']);
  });

  test('is never made of Redis being away', async () => {
    const redis = await startRedis();
    const app = await stage.boot({
      imports: [stage.locks({ commandTimeout: 100 }, {}, redis.url)],
      providers: [Orders],
    });
    await redis.pause();
    await expect(app.get(Orders).skip()).rejects.toBeInstanceOf(LockUnavailableError);
    expect(ran).toEqual([]);
    await redis.resume();
    await app.close();
    await redis.stop();
  });
});

describe('a key', () => {
  test('may be a template over the arguments', async () => {
    await expect(orders.byTemplate({ id: 'a' })).resolves.toBe('order:a');
    await expect(orders.byTemplate({ id: 7 })).resolves.toBe('order:7');
  });

  test('may be a function of the first parameters', async () => {
    await expect(orders.byFunction({ id: 'a' }, 2, 'note')).resolves.toBe('order:a:2');
  });

  test.each([
    ['missing', {}, 'undefined'],
    ['null', { id: null }, 'null'],
    ['an object', { id: { toString: () => 'trap' } }, 'object'],
    ['not a number', { id: Number.NaN }, 'NaN'],
  ])(
    'of a template whose value is %s is an error that names the method, and sends nothing',
    async (_, order, found) => {
      let error: unknown;
      const sent = await stage.sent(async () => {
        error = await orders.byTemplate(order).catch((reason: unknown) => reason);
      });
      expect(error).toBeInstanceOf(LockConfigurationError);
      expect(error).toMatchObject({
        code: 'INVALID_NAME',
        lock: 'order:{0.id}',
        message: expect.stringContaining(
          `The key "order:{0.id}" of Orders.byTemplate cannot be filled: {0.id} is ${found}`,
        ),
      });
      expect(sent).toEqual([]);
    },
  );

  test('that can be filled is seen to be sent', async () => {
    expect(await stage.sent(() => orders.byTemplate({ id: 'a' }))).not.toEqual([]);
  });
});
