import { setTimeout as sleep } from 'node:timers/promises';
import { Controller, Get, HttpException, Inject, Injectable, Sse } from '@nestjs/common';
import {
  assertLocked,
  currentLock,
  DistributedLock,
  LockNotAcquiredError,
  LockService,
} from 'nestjs-distributed-lock';
import {
  concatMap,
  defer,
  firstValueFrom,
  interval,
  lastValueFrom,
  map,
  NEVER,
  Observable,
  of,
  Subject,
  take,
  throwError,
  toArray,
} from 'rxjs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../support/until.js';
import { DoorStage, request } from './door.stage.js';

const BUSINESS = new HttpException('gone', 410);

@Controller()
class Streams {
  readonly events = new Subject<number>();
  starts = 0;
  left: string | undefined;

  constructor(@Inject(LockService) readonly locks: LockService) {}

  @Get('stream')
  @DistributedLock('stream')
  stream(): Observable<number> {
    this.starts += 1;
    return this.events;
  }

  @DistributedLock('inside')
  inside(): Observable<string | undefined> {
    assertLocked('inside');
    return defer(() => of(currentLock()?.name)).pipe(
      concatMap(async (name) => (await sleep(2), currentLock()?.name ?? name)),
    );
  }

  @DistributedLock('teardown')
  teardown(): Observable<never> {
    return new Observable(() => {
      this.starts += 1;
      return () => {
        this.left = currentLock()?.name;
      };
    });
  }

  @DistributedLock('fails')
  fail(): Observable<never> {
    return throwError(() => BUSINESS);
  }

  @DistributedLock('fails')
  failAtOnce(): Observable<never> {
    throw BUSINESS;
  }

  @DistributedLock('stream', { onBusy: 'skip' })
  skip(): Observable<number | undefined> {
    return of(1);
  }

  @DistributedLock('stream', { onBusy: () => of(7, 8) })
  answer(): Observable<number> {
    return of(1);
  }

  @DistributedLock('none')
  none(): Observable<never> {
    return Object('a text');
  }

  @DistributedLock('stream', { waitTime: '60s' })
  wait(): Observable<string> {
    this.starts += 1;
    return of('waited');
  }

  @DistributedLock('{0}')
  keyed(_id?: string): Observable<string> {
    return of('ran');
  }

  @DistributedLock('endless')
  endless(): Observable<number> {
    return interval(0);
  }

  @Sse('events')
  @DistributedLock('events')
  sse(): Observable<{ data: number }> {
    return this.events.pipe(map((data) => ({ data })));
  }

  @Get('undeclared')
  @DistributedLock('undeclared')
  undeclared() {
    return interval(5).pipe(
      take(3),
      map(() => currentLock()?.name ?? 'outside'),
      toArray(),
    );
  }

  @DistributedLock('undeclared')
  undeclaredFailure() {
    return throwError(() => BUSINESS);
  }
}

@Injectable()
class Sync {
  ran = 0;

  // @ts-expect-error: it returns no promise; what it declares cannot be known here, so it runs
  @DistributedLock('sync')
  run() {
    return (this.ran += 1);
  }
}

let stage: DoorStage;
let streams: Streams;
let isLocked: (name: string) => Promise<boolean>;
beforeEach(async () => {
  stage = new DoorStage();
  streams = (await stage.start({ controllers: [Streams] })).get(Streams);
  isLocked = (name) => streams.locks.getLock(name).isLocked();
});
afterEach(() => stage.close());

describe('a method that returns an Observable', () => {
  test('takes the lock when it is subscribed to, not when it is called', async () => {
    const stream = streams.stream();
    expect(stream).toBeInstanceOf(Observable);
    await sleep(20);
    expect([streams.starts, await isLocked('stream')]).toEqual([0, false]);
    const ended = lastValueFrom(stream);
    await until('the source is subscribed to', () => streams.events.observed);
    expect([streams.starts, await isLocked('stream')]).toEqual([1, true]);
    streams.events.next(5);
    streams.events.complete();
    await expect(ended).resolves.toBe(5);
  });

  test('has released it when its end is emitted', async () => {
    const end = new Promise<string[]>((resolve) => {
      streams.inside().subscribe({ complete: () => resolve(stage.services.keys()) });
    });
    await expect(end).resolves.toEqual([]);
  });

  test('is inside the lock while it is subscribed to and emits', async () => {
    await expect(lastValueFrom(streams.inside())).resolves.toBe('inside');
  });

  test('excludes another subscription until it ends, and each takes the lock anew', async () => {
    const stream = streams.stream();
    const first = lastValueFrom(stream, { defaultValue: 'none' });
    await until('the source is subscribed to', () => streams.events.observed);
    await expect(lastValueFrom(stream)).rejects.toBeInstanceOf(LockNotAcquiredError);
    const next = lastValueFrom(streams.wait());
    streams.events.complete();
    await expect(first).resolves.toBe('none');
    await expect(next).resolves.toBe('waited');
    await expect(lastValueFrom(stream, { defaultValue: 'none' })).resolves.toBe('none');
    expect(streams.starts).toBe(3);
  });

  test('releases when it is unsubscribed from, and tears down inside the lock', async () => {
    const subscription = streams.teardown().subscribe();
    await until('it runs', () => streams.starts === 1);
    subscription.unsubscribe();
    expect(streams.left).toBe('teardown');
    await until('it is free', async () => !(await isLocked('teardown')));
  });

  test('unsubscribed from while it waits, leaves nothing behind', async () => {
    const held = await stage.hold('stream');
    const subscription = streams.wait().subscribe();
    const listens = async () => (await stage.services.channels()).length > 0;
    await until('it listens for the release', listens);
    subscription.unsubscribe();
    await until('it stops listening', async () => !(await listens()));
    await held.unlock();
    expect(await stage.services.keys()).toEqual([]);
    expect(streams.starts).toBe(0);
  });

  test('stops an endless source as soon as enough was taken', async () => {
    await expect(firstValueFrom(streams.endless())).resolves.toBe(0);
    await until('it is free', async () => !(await isLocked('endless')));
  });

  test('lets a business error through untouched, notified or thrown', async () => {
    await expect(lastValueFrom(streams.fail())).rejects.toBe(BUSINESS);
    await expect(lastValueFrom(streams.failAtOnce())).rejects.toBe(BUSINESS);
    expect(await stage.services.keys()).toEqual([]);
  });

  test('refused, emits the result of onBusy: one undefined value, or the values of an Observable', async () => {
    await stage.hold('stream');
    await expect(lastValueFrom(streams.skip().pipe(toArray()))).resolves.toEqual([undefined]);
    await expect(lastValueFrom(streams.answer().pipe(toArray()))).resolves.toEqual([7, 8]);
  });

  test('reports what is wrong with its key, or its instance, as an error of the Observable', async () => {
    await expect(lastValueFrom(streams.keyed())).rejects.toMatchObject({ code: 'INVALID_NAME' });
    const unbound = new Streams(streams.locks);
    await expect(lastValueFrom(unbound.keyed('a'))).rejects.toMatchObject({ code: 'NOT_BOUND' });
  });

  test('serves a route, which is 423 when it is busy', async () => {
    const app = await stage.start({ controllers: [Streams] });
    await stage.hold('stream');
    expect(await request(app, '/stream')).toMatchObject({ status: 423 });
  });

  test('holds for as long as a client of server-sent events stays', async () => {
    const app = await stage.start({ controllers: [Streams] });
    const client = new AbortController();
    await fetch(`${await app.getUrl()}/events`, { signal: client.signal });
    // Redis knows of the lock before the reply has come.
    await until('it streams', () => app.get(Streams).events.observed);
    expect(await isLocked('events')).toBe(true);
    client.abort();
    await until('it is free', async () => !(await isLocked('events')));
    expect(app.get(Streams).events.observed).toBe(false);
  });
});

describe('a method that does not declare its Observable', () => {
  test('as a route holds the lock until the Observable has ended', async () => {
    const app = await stage.start({ controllers: [Streams] });
    expect((await request(app, '/undeclared')).body).toEqual(['undeclared', 'undeclared', 'undeclared']);
    expect(await stage.services.keys()).toEqual([]);
  });

  test('promises an Observable whose first subscription runs in the same hold', async () => {
    const stream = await Promise.resolve(streams.undeclared());
    const values = lastValueFrom(stream);
    await expect(isLocked('undeclared')).resolves.toBe(true);
    await expect(values).resolves.toEqual(['undeclared', 'undeclared', 'undeclared']);
    await expect(lastValueFrom(stream)).resolves.toEqual(['undeclared', 'undeclared', 'undeclared']);
    expect(await stage.services.keys()).toEqual([]);
    expect(stage.logged).toEqual([]);
  });

  test('lets its error through untouched', async () => {
    const stream = await Promise.resolve(streams.undeclaredFailure());
    await expect(lastValueFrom(stream)).rejects.toBe(BUSINESS);
  });

  test('frees the lock when it has no subscriber', async () => {
    const stream = await Promise.resolve(streams.undeclared());
    await until('it is free', async () => !(await isLocked('undeclared')));
    expect(stage.logged).toEqual([
      'warn: Streams.undeclared returned an Observable, and its caller did not subscribe at once: the lock was released, and a later subscription acquires it again. Declare Observable as the return type of the method, so that the lock is acquired on subscription.',
    ]);
    const held = await stage.hold('undeclared');
    await expect(lastValueFrom(stream)).rejects.toBeInstanceOf(LockNotAcquiredError);
    await held.unlock();
    await expect(lastValueFrom(stream)).resolves.toHaveLength(3);
  });
});

describe('a method that returns neither', () => {
  test('that did not declare it runs under the lock, and its caller is promised the value', async () => {
    const app = await stage.start({ providers: [Sync] });
    await expect(app.get(Sync).run()).resolves.toBe(1);
    const held = await stage.hold('sync');
    await expect(app.get(Sync).run()).rejects.toBeInstanceOf(LockNotAcquiredError);
    await held.unlock();
    expect(app.get(Sync).ran).toBe(1);
  });

  test('that declared an Observable fails the subscription', async () => {
    await expect(lastValueFrom(streams.none())).rejects.toMatchObject({
      code: 'NOT_ASYNC',
      message: expect.stringMatching(/^Streams\.none returned neither a promise nor an Observable\./),
    });
  });

  test('that declared it fails the boot, with a sentence', async () => {
    @Injectable()
    class Declared {
      // @ts-expect-error: it returns no promise; applications without types are told at boot
      @DistributedLock('sync')
      run(): string {
        return 'at once';
      }
    }
    @Injectable()
    class Generating {
      // @ts-expect-error: a generator is no promise
      @DistributedLock('sync')
      async *run() {
        yield NEVER;
      }
    }
    const sentence = 'the declared return type is neither a promise nor an Observable';
    await expect(stage.start({ providers: [Declared] })).rejects.toMatchObject({
      code: 'NOT_ASYNC',
      message: expect.stringContaining(`Declared.run: ${sentence}`),
    });
    await expect(stage.start({ providers: [Generating] })).rejects.toMatchObject({
      code: 'NOT_ASYNC',
      message: expect.stringContaining(`Generating.run: ${sentence}`),
    });
  });
});
