import { Controller, type ExecutionContext } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import {
  DistributedLock,
  DistributedLockInterceptor,
  LockNotAcquiredError,
  LockRefusalFilter,
  LockService,
} from 'nestjs-distributed-lock';
import { firstValueFrom, lastValueFrom, of, type Observable } from 'rxjs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DoorStage } from './door.stage.js';

/** As `@EventPattern` and `@MessagePattern` note it; the packages themselves run in the compatibility matrix. */
function pattern(type: number): MethodDecorator {
  return (_target, _key, { value }: PropertyDescriptor) =>
    Reflect.defineMetadata('microservices:handler_type', type, value);
}

@Controller()
class Orders {
  @DistributedLock('order')
  @pattern(2)
  async below(): Promise<void> {}

  @pattern(2)
  @DistributedLock('order')
  async above(): Promise<void> {}

  @pattern(1)
  @DistributedLock('order')
  async message(): Promise<void> {}

  @pattern(2)
  @DistributedLock('order', { onBusy: 'skip' })
  async skipped(): Promise<void> {}

  @DistributedLock('order')
  async plain(): Promise<void> {}

  @pattern(2)
  async intercepted(): Promise<void> {}

  @pattern(1)
  async answered(): Promise<void> {}
}

let stage: DoorStage;
beforeEach(() => {
  stage = new DoorStage();
});
afterEach(() => stage.close());

const lines = () => stage.logged.filter((line) => /^warn: (?:An event for|A call of a)/.test(line));

describe('a refused event', () => {
  test.each(['below', 'above'] as const)('has a line in the log with its remedy: %s', async (method) => {
    const app = await stage.start({ controllers: [Orders] });
    const { holder } = await stage.hold('order');
    await expect(app.get(Orders)[method]()).rejects.toMatchObject({ code: 'NOT_ACQUIRED' });
    await expect(app.get(Orders)[method]()).rejects.toMatchObject({ code: 'NOT_ACQUIRED' });
    // Once for a lock in its interval.
    expect(lines()).toEqual([
      `warn: An event for Orders.${method} was refused, and is lost unless its transport delivers it again: lock "order" is held by ${holder}. Set waitTime to let the handler wait, or onBusy to put the event back into its queue.`,
    ]);
  });

  test.each(['message', 'skipped', 'plain'] as const)(
    'is one of an event handler only: %s has no line',
    async (method) => {
      const app = await stage.start({ controllers: [Orders] });
      await stage.hold('order');
      const orders = app.get(Orders);
      await orders[method]().catch(() => undefined);
      expect(lines()).toEqual([]);
    },
  );

  test('of an intercepted handler has one line, from the interceptor and not from the filter', async () => {
    const app = await stage.start({ controllers: [Orders] });
    const locks = app.get(LockService);
    const { holder } = await stage.hold('order');
    const interceptor = new DistributedLockInterceptor(locks, { key: 'order' }, 'Orders.intercepted');
    const filter = new LockRefusalFilter(locks, app.get(HttpAdapterHost));
    const send = async (method: 'intercepted' | 'answered') => {
      const host = new ExecutionContextHost([{}, {}], Orders, Orders.prototype[method]);
      host.setType('rpc');
      const run = () => lastValueFrom(interceptor.intercept(host, { handle: () => of('never') }));
      const error: unknown = await run().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(LockNotAcquiredError);
      const answer: Observable<unknown> = Object(filter.catch(Object(error), host));
      await expect(lastValueFrom(answer)).rejects.toMatchObject({ code: 'NOT_ACQUIRED' });
    };
    await send('answered');
    expect(lines()).toEqual([]);
    await send('intercepted');
    await send('intercepted');
    expect(lines()).toEqual([
      expect.stringContaining(
        `An event for Orders.intercepted was refused, and is lost unless its transport delivers it again: lock "order" is held by ${holder}.`,
      ),
    ]);
  });

  test('whose lock is taken inside of the handler has a line from the filter, a known one has no second', async () => {
    const app = await stage.start({ controllers: [Orders] });
    await stage.hold('inner');
    await stage.hold('order');
    const filter = new LockRefusalFilter(app.get(LockService), app.get(HttpAdapterHost));
    const args: unknown[] = [];
    const host: ExecutionContext = Object({ getType: () => 'rpc', getArgs: () => args });
    const caught = async (work: () => Promise<unknown>) => {
      const error: unknown = await work().catch((reason: unknown) => reason);
      const answer: Observable<unknown> = Object(filter.catch(Object(error), host));
      await expect(firstValueFrom(answer)).rejects.toMatchObject({
        code: args.length > 0 ? 10 : 'NOT_ACQUIRED',
      });
    };
    await caught(() => app.get(LockService).using('inner', () => 'never', { waitTime: 0 }));
    expect(lines()).toEqual([
      expect.stringContaining('A call of a microservice failed. If it was an event, it is lost unless'),
    ]);
    stage.logged.length = 0;
    await caught(() => app.get(Orders).message());
    expect(lines()).toEqual([]);
    // Every call of gRPC is answered.
    const call = { sendMetadata: () => undefined, getPath: () => '/orders/place' };
    args.push({}, {}, call);
    await caught(() => app.get(LockService).using('inner', () => 'never', { waitTime: 0 }));
    expect(lines()).toEqual([]);
  });
});
