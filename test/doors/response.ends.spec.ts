import { setTimeout as sleep } from 'node:timers/promises';
import { PassThrough, type Writable } from 'node:stream';
import { Controller, Get, Res, StreamableFile, UseInterceptors } from '@nestjs/common';
import { DistributedLock, UseDistributedLock } from 'nestjs-distributed-lock';
import { of, Subject, timeout, type Observable } from 'rxjs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Gate } from '../locks/gate.js';
import { until } from '../support/until.js';
import { DoorStage, request } from './door.stage.js';

/** How long a lock is watched that must not be released, in ms. */
const WATCHED = 60;

class Impatient {
  intercept(_context: unknown, next: { handle(): Observable<unknown> }) {
    return next.handle().pipe(timeout({ first: 30, with: () => of('too late') }));
  }
}

/** Replaces the method by a function of another name. */
function Renamed(): MethodDecorator {
  return (_target, _key, descriptor) => {
    const method: unknown = descriptor.value;
    const renamed = function (this: unknown, ...args: unknown[]): unknown {
      return typeof method === 'function' ? Reflect.apply(method, this, args) : undefined;
    };
    Object.defineProperty(renamed, 'name', { value: '' });
    Object.assign(descriptor, { value: renamed });
  };
}

/** As `@Context('res')` of GraphQL: noted where routes note `@Res()`, with the same number. */
const ContextResponse: ParameterDecorator = (target, key = '', index) => {
  Reflect.defineMetadata('__routeArguments__', { [`1:${index}`]: { index } }, target.constructor, key);
};

class Resolver {
  @DistributedLock('held')
  async login(@ContextResponse _response: Writable): Promise<string> {
    return 'ran';
  }
}

@Controller()
class Responses {
  response: Writable | undefined;
  readonly body = new PassThrough();
  readonly gate = new Gate();
  readonly values = new Subject<string>();
  /** Passes for a promise where types are looked at. */
  readonly undeclared: Promise<string> = Object(this.values);
  hasSettled = false;

  @Get('sent/decorated')
  @DistributedLock('held')
  async sent(@Res() response: Writable): Promise<void> {
    this.response = response;
    response.write('first');
  }

  @Get('sent/intercepted')
  @UseDistributedLock({ key: 'held' })
  sentIntercepted(@Res() response: Writable) {
    this.response = response;
    response.write('first');
  }

  @Get('sent/renamed')
  @UseDistributedLock({ key: 'held' })
  @Renamed()
  sentRenamed(@Res() response: Writable) {
    this.response = response;
    response.write('first');
  }

  @Get('passthrough')
  @DistributedLock('held')
  async passthrough(@Res({ passthrough: true }) response: Writable): Promise<string> {
    this.response = response;
    return 'sent by Nest';
  }

  @Get('body/decorated')
  @DistributedLock('held')
  async streamed(): Promise<StreamableFile> {
    this.body.write('first');
    return new StreamableFile(this.body);
  }

  @Get('body/intercepted')
  @UseDistributedLock({ key: 'held' })
  streamedIntercepted() {
    this.body.write('first');
    return new StreamableFile(this.body);
  }

  @Get('late/file')
  @UseDistributedLock({ key: 'held' })
  @UseInterceptors(Impatient)
  async lateFile(): Promise<StreamableFile> {
    await this.gate.opened;
    return new StreamableFile(this.body);
  }

  @Get('late/stream')
  @UseDistributedLock({ key: 'held' })
  @UseInterceptors(Impatient)
  async lateStream(): Promise<PassThrough> {
    await this.gate.opened;
    return this.body;
  }

  @Get('late/web')
  @UseDistributedLock({ key: 'held' })
  @UseInterceptors(Impatient)
  async lateWeb(): Promise<ReadableStream> {
    await this.gate.opened;
    return new ReadableStream({ cancel: () => void this.body.destroy() });
  }

  @Get('late/fetched')
  @UseDistributedLock({ key: 'held' })
  @UseInterceptors(Impatient)
  async lateFetched(): Promise<Response> {
    await this.gate.opened;
    return new Response(new ReadableStream({ cancel: () => void this.body.destroy() }));
  }

  @Get('late/rows')
  @UseDistributedLock({ key: 'held' })
  @UseInterceptors(Impatient)
  async lateRows(): Promise<AsyncGenerator<string>> {
    await this.gate.opened;
    this.body.destroy();
    return this.rows();
  }

  private async *rows(): AsyncGenerator<string> {
    yield 'never asked for';
  }

  // No handler below declares what it returns.

  @Get('promise/decorated')
  @UseInterceptors(Impatient)
  @DistributedLock('held')
  promiseDecorated() {
    return this.settle();
  }

  @Get('promise/intercepted')
  @UseDistributedLock({ key: 'held' })
  @UseInterceptors(Impatient)
  promiseIntercepted() {
    return this.settle();
  }

  @Get('observable/decorated')
  @UseInterceptors(Impatient)
  @DistributedLock('held')
  observableDecorated() {
    return this.undeclared;
  }

  @Get('observable/intercepted')
  @UseDistributedLock({ key: 'held' })
  @UseInterceptors(Impatient)
  observableIntercepted() {
    return this.undeclared;
  }

  private async settle(): Promise<void> {
    await this.gate.opened;
    this.hasSettled = true;
  }
}

let stage: DoorStage;
beforeEach(() => {
  stage = new DoorStage();
});
afterEach(() => stage.close());

async function start() {
  const app = await stage.start({ controllers: [Responses], providers: [Resolver] });
  const witness = (await stage.services.open()).getLock('held');
  const client = new AbortController();
  return {
    app,
    responses: app.get(Responses),
    /** Sends a request, and returns what reads its body when the first of it has arrived. */
    open: async (path: string) => {
      const response = await fetch(`${await app.getUrl()}/${path}`, { signal: client.signal });
      const reader = response.body?.getReader();
      expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('first');
      return reader;
    },
    leave: () => client.abort(),
    isHeld: () => witness.isLocked(),
    untilFree: () => until('the lock is free', async () => !(await witness.isLocked())),
    expectHeld: async () => {
      await sleep(WATCHED);
      expect(await witness.isLocked()).toBe(true);
    },
  };
}

describe.each(['decorated', 'intercepted'])('the lock of a %s handler', (door) => {
  test('that sends its response by itself is held until the response has been sent', async () => {
    const { responses, open, expectHeld, untilFree } = await start();
    const reader = await open(`sent/${door}`);
    await expectHeld();
    responses.response?.end('last');
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('last');
    await untilFree();
  });

  test('that sends its response by itself ends with the client', async () => {
    const { responses, open, leave, expectHeld, untilFree } = await start();
    await open(`sent/${door}`);
    await expectHeld();
    leave();
    await untilFree();
    expect(responses.response).toMatchObject({ destroyed: true, writableEnded: false });
  });

  test('that gives a body is held until the body has been sent', async () => {
    const { responses, open, expectHeld, untilFree } = await start();
    const reader = await open(`body/${door}`);
    await expectHeld();
    responses.body.end('last');
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('last');
    await untilFree();
  });

  test('that gives a body ends with the client, which destroys the body', async () => {
    const { responses, open, leave, expectHeld, untilFree } = await start();
    await open(`body/${door}`);
    await expectHeld();
    leave();
    await untilFree();
    expect(responses.body.destroyed).toBe(true);
  });

  test('that declares nothing is held until its promise settles, after a timeout has answered', async () => {
    const { app, responses, expectHeld, untilFree } = await start();
    expect((await request(app, `/promise/${door}`)).body).toBe('too late');
    await expectHeld();
    expect(responses.hasSettled).toBe(false);
    responses.gate.open();
    await untilFree();
    expect(responses.hasSettled).toBe(true);
  });
});

test.each(['file', 'stream', 'web', 'fetched', 'rows'])(
  'a body of kind %s that comes after a timeout has answered is ended, and its lock is free',
  async (kind) => {
    const { app, responses, expectHeld, untilFree } = await start();
    expect((await request(app, `/late/${kind}`)).body).toBe('too late');
    await expectHeld();
    responses.gate.open();
    await untilFree();
    expect(responses.body.destroyed).toBe(true);
  },
);

test('the lock of a handler whose function a decorator has replaced is held until its response has been sent', async () => {
  const { responses, open, expectHeld, untilFree } = await start();
  await open('sent/renamed');
  await expectHeld();
  responses.response?.end('last');
  await untilFree();
});

test('a method that is no route does not wait for a response among its arguments, which is sent after its end', async () => {
  const { app, untilFree } = await start();
  expect(await app.get(Resolver).login(new PassThrough())).toBe('ran');
  await untilFree();
});

describe('the lock of a handler that gives an Observable, and does not declare it', () => {
  test('ends with the timeout around a decorated one, which shows its Observable', async () => {
    const { app, responses, untilFree } = await start();
    expect((await request(app, '/observable/decorated')).body).toBe('too late');
    await untilFree();
    expect(responses.values.observed).toBe(false);
  });

  test('is held after the timeout around an intercepted one, until the first value', async () => {
    const { app, responses, expectHeld, untilFree } = await start();
    expect((await request(app, '/observable/intercepted')).body).toBe('too late');
    await expectHeld();
    responses.values.next('first');
    await untilFree();
    expect(responses.values.observed).toBe(false);
  });
});

test('the lock of a handler whose response Nest sends is free before the client has the response', async () => {
  const { app, responses, isHeld } = await start();
  expect((await request(app, '/passthrough')).body).toBe('sent by Nest');
  expect(await isHeld()).toBe(false);
  expect(responses.response).toMatchObject({ writableEnded: true });
});
