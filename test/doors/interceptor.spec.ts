import { setTimeout as sleep } from 'node:timers/promises';
import {
  Body,
  Controller,
  Get,
  HttpException,
  Inject,
  Param,
  Post,
  Sse,
  UseInterceptors,
  type ExecutionContext,
} from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import {
  currentLock,
  DistributedLock,
  DistributedLockInterceptor,
  LockService,
  UseDistributedLock,
  type BusyContext,
} from 'nestjs-distributed-lock';
import { concatMap, interval, map, Observable, of, Subject, take, throwError, timeout, toArray } from 'rxjs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../support/until.js';
import { DoorStage, request } from './door.stage.js';

interface Request {
  readonly params: Readonly<Record<string, string>>;
}

const byId = (context: ExecutionContext) =>
  `account:${context.switchToHttp().getRequest<Request>().params['id']}`;

class Impatient {
  intercept(_context: ExecutionContext, next: { handle(): Observable<unknown> }) {
    return next.handle().pipe(timeout({ first: 30, with: () => of('too late') }));
  }
}

@Controller()
class Accounts {
  readonly events = new Subject<number>();
  ran = 0;
  running = 0;
  gate = Promise.resolve();

  constructor(@Inject(LockService) readonly locks: LockService) {}

  @Post('accounts/:id')
  @UseDistributedLock({ key: byId })
  async change(@Param('id') _id: string, @Body() _body: unknown) {
    this.ran += 1;
    return {
      lock: currentLock()?.name,
      count: await this.locks.getLock(String(currentLock()?.name)).getHoldCount(),
    };
  }

  @Get('both/:id')
  @UseDistributedLock({ key: byId })
  @DistributedLock('account:{0}')
  async both(@Param('id') id: string) {
    return this.locks.getLock(`account:${id}`).getHoldCount();
  }

  @Get('stream')
  @UseDistributedLock({ key: 'stream' })
  stream(): Observable<unknown> {
    return interval(5).pipe(
      take(3),
      concatMap(async () => [currentLock()?.name, await this.locks.getLock('stream').isLocked()]),
      toArray(),
    );
  }

  @Get('fails')
  @UseDistributedLock({ key: 'fails' })
  fails(): Observable<never> {
    return throwError(() => new HttpException('gone', 410));
  }

  @Get('throws')
  @UseDistributedLock({ key: 'fails' })
  async throws(): Promise<never> {
    throw new HttpException('gone', 410);
  }

  @Sse('events')
  @UseDistributedLock({ key: 'events' })
  sse(): Observable<{ data: number }> {
    return this.events.pipe(map((data) => ({ data })));
  }

  @Get('impatient/observable')
  @UseDistributedLock({ key: 'impatient' })
  @UseInterceptors(Impatient)
  impatientObservable(): Observable<number> {
    return this.events;
  }

  @Get('impatient/promise')
  @UseDistributedLock({ key: 'impatient' })
  @UseInterceptors(Impatient)
  async impatientPromise(): Promise<void> {
    this.running += 1;
    await this.gate;
    this.running -= 1;
  }

  @Get('skips')
  @UseDistributedLock({ key: 'busy', onBusy: 'skip' })
  async skips() {
    this.ran += 1;
    return { ran: true };
  }

  @Get('answers')
  @UseDistributedLock({
    key: 'busy',
    onBusy: ({ name, args: [context] }: BusyContext<readonly [ExecutionContext]>) => ({
      name,
      handler: context.getHandler().name,
    }),
  })
  async answers() {
    this.ran += 1;
  }

  @Get('waits')
  @UseDistributedLock({ key: 'busy', waitTime: '5s' })
  async waits() {
    return { waited: true };
  }

  @Get('nested')
  @UseDistributedLock({ key: 'outer', onBusy: 'skip' })
  async nested() {
    return this.locks.getLock('busy').using(() => 'never', { waitTime: 0 });
  }

  @Get('nameless')
  @UseDistributedLock({
    key: (context) => context.switchToHttp().getRequest<{ readonly lock: string }>().lock,
  })
  async nameless() {
    this.ran += 1;
  }
}

@Controller('class')
@UseDistributedLock({ key: 'class' })
class Guarded {
  @Get()
  @UseDistributedLock({ key: 'method' })
  async both(@Inject(LockService) _none: unknown) {
    return currentLock()?.name;
  }
}

let stage: DoorStage;
beforeEach(() => {
  stage = new DoorStage();
});
afterEach(() => stage.close());

async function start() {
  const app = await stage.start({ controllers: [Accounts, Guarded] });
  const accounts = app.get(Accounts);
  const get = (path: string) => request(app, path);
  return { app, accounts, get, isLocked: (name: string) => accounts.locks.getLock(name).isLocked() };
}

describe('an intercepted handler', () => {
  test('runs under a lock that its request names, inside the scope of the lock', async () => {
    const { app } = await start();
    const answer = await request(app, '/accounts/7', { method: 'POST' });
    expect(answer).toMatchObject({ status: 201, body: { lock: 'account:7', count: 1 } });
    expect(await stage.services.keys()).toEqual([]);
  });

  test('is refused with 423 while the lock is held, and does not run', async () => {
    const { app, accounts } = await start();
    await stage.hold('account:7');
    expect(await request(app, '/accounts/7', { method: 'POST' })).toMatchObject({ status: 423 });
    expect(await request(app, '/accounts/8', { method: 'POST' })).toMatchObject({ status: 201 });
    expect(accounts.ran).toBe(1);
  });

  test('waits up to waitTime', async () => {
    const { get } = await start();
    const held = await stage.hold('busy');
    const answer = get('/waits');
    await sleep(30);
    await held.unlock();
    expect(await answer).toMatchObject({ status: 200, body: { waited: true } });
  });

  test('re-enters with a decorator of the same key', async () => {
    const { get } = await start();
    expect(await get('/both/7')).toMatchObject({ status: 200, body: '2' });
  });

  test('of a class and a method with a lock each, holds both', async () => {
    const { get } = await start();
    expect(await get('/class')).toMatchObject({ status: 200, body: 'method' });
    await stage.hold('class');
    expect(await get('/class')).toMatchObject({ status: 423, body: { lock: 'class' } });
  });

  test('with a key that is no text is refused with a sentence', async () => {
    const { accounts, app } = await start();
    expect(await request(app, '/nameless')).toMatchObject({ status: 500 });
    expect(accounts.ran).toBe(0);
  });
});

describe('the lock of an intercepted handler is held', () => {
  test('until its stream completes', async () => {
    const { get } = await start();
    expect((await get('/stream')).body).toEqual(Array.from({ length: 3 }, () => ['stream', true]));
    expect(await stage.services.keys()).toEqual([]);
  });

  test.each(['fails', 'throws'])('until it errors, and the error passes untouched: %s', async (path) => {
    const { get } = await start();
    expect(await get(`/${path}`)).toMatchObject({ status: 410, body: { message: 'gone' } });
    expect(await stage.services.keys()).toEqual([]);
  });

  test('until its client leaves', async () => {
    const { app, accounts, isLocked } = await start();
    const client = new AbortController();
    await fetch(`${await app.getUrl()}/events`, { signal: client.signal });
    await until('it is locked', () => isLocked('events'));
    client.abort();
    await until('it is free', async () => !(await isLocked('events')));
    expect(accounts.events.observed).toBe(false);
  });

  test('until an outer interceptor cancels its Observable', async () => {
    const { get, accounts, isLocked } = await start();
    expect((await get('/impatient/observable')).body).toBe('too late');
    await until('it is free', async () => !(await isLocked('impatient')));
    expect(accounts.events.observed).toBe(false);
  });

  test('until its promise settles, which cannot be cancelled', async () => {
    const { get, accounts, isLocked } = await start();
    let open: () => void = () => undefined;
    accounts.gate = new Promise((resolve) => {
      open = resolve;
    });
    expect((await get('/impatient/promise')).body).toBe('too late');
    expect(accounts.running).toBe(1);
    expect(await isLocked('impatient')).toBe(true);
    open();
    await until('it is free', async () => !(await isLocked('impatient')));
    expect(accounts.running).toBe(0);
  });
});

describe('onBusy of an interceptor', () => {
  test('skip answers with an empty body', async () => {
    const { get, accounts } = await start();
    await stage.hold('busy');
    expect(await get('/skips')).toMatchObject({ status: 200, body: '' });
    expect(accounts.ran).toBe(0);
  });

  test('a function answers, and knows the request', async () => {
    const { get, accounts } = await start();
    await stage.hold('busy');
    expect(await get('/answers')).toMatchObject({ status: 200, body: { name: 'busy', handler: 'answers' } });
    expect(accounts.ran).toBe(0);
  });

  test('does not swallow the refusal of a lock that is taken inside', async () => {
    const { get } = await start();
    await stage.hold('busy');
    expect(await get('/nested')).toMatchObject({ status: 423, body: { lock: 'busy' } });
  });
});

describe('an interceptor', () => {
  test('without the module fails the boot', async () => {
    await expect(stage.boot({ controllers: [Guarded] })).rejects.toThrow(
      /import DistributedLockModule\.forRoot\(\)/,
    );
  });

  test('can be bound by hand, as a global interceptor', async () => {
    const global = {
      provide: APP_INTERCEPTOR,
      useFactory: (locks: LockService) => new DistributedLockInterceptor(locks, { key: 'global' }),
      inject: [LockService],
    };
    const app = await stage.start({ controllers: [Guarded], providers: [global] });
    expect(await request(app, '/class')).toMatchObject({ status: 200 });
    await stage.hold('global');
    expect(await request(app, '/class')).toMatchObject({ status: 423, body: { lock: 'global' } });
  });

  test('with a bad option fails the boot', async () => {
    @Controller()
    @UseDistributedLock({ key: 'x', leaseTime: 10 })
    class Bad {
      @Get()
      async get() {}
    }
    await expect(stage.start({ controllers: [Bad] })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('leaseTime of Bad must be at least 100 ms'),
    });
  });
});
