import { EventEmitter } from 'node:events';
import {
  Catch,
  Controller,
  Get,
  Injectable,
  NotFoundException,
  SetMetadata,
  UseFilters,
  type ExceptionFilter,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import {
  DistributedLock,
  LockNotAcquiredError,
  LockRefusalFilter,
  LockService,
  LockUnavailableError,
  type DistributedLockModuleExtras,
  type LockModuleSettings,
} from 'nestjs-distributed-lock';
import { lastValueFrom, type Observable } from 'rxjs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import { DoorStage, request } from './door.stage.js';

@Injectable()
class Ledger {
  constructor(private readonly locks: LockService) {}

  async write() {
    return this.locks.getLock('ledger').using(() => 'written', { waitTime: 0 });
  }
}

@Controller()
class Api {
  constructor(private readonly ledger: Ledger) {}

  @Get('decorated')
  @DistributedLock('ledger')
  async decorated() {
    return 'ran';
  }

  @Get('nested')
  async nested() {
    return this.ledger.write();
  }

  @Get('missing')
  @DistributedLock('other')
  async missing(): Promise<string> {
    throw new NotFoundException('no such account');
  }
}

const HELD = new LockNotAcquiredError('ledger', 5, { holder: 'secret:7', since: 0 });

let stage: DoorStage;
beforeEach(() => {
  stage = new DoorStage();
});
afterEach(() => stage.close());

async function start(options: LockModuleSettings = {}, extras: DistributedLockModuleExtras = {}) {
  return await stage.start({ controllers: [Api], providers: [Ledger], options, extras });
}

describe('over HTTP a refusal', () => {
  test.each(['decorated', 'nested'])(
    'is 423 with Retry-After, and does not name the holder of the lock: %s',
    async (path) => {
      const app = await start();
      const { holder } = await stage.hold('ledger');
      const { status, headers, body } = await request(app, `/${path}`);
      expect([status, headers.get('retry-after')]).toEqual([423, '1']);
      expect(body).toEqual({
        statusCode: 423,
        error: 'Locked',
        message: 'Lock "ledger" is held. Try again later.',
        code: 'NOT_ACQUIRED',
        lock: 'ledger',
      });
      expect(JSON.stringify(body)).not.toContain(holder);
    },
  );

  test('is 409 in one word, and Retry-After in another', async () => {
    const app = await start({ busyStatus: 409, retryAfter: '2.5s' });
    await stage.hold('ledger');
    const { status, headers, body } = await request(app, '/decorated');
    expect([status, headers.get('retry-after')]).toEqual([409, '3']);
    expect(body).toMatchObject({ statusCode: 409, error: 'Conflict' });
  });

  test('is left to the application with refusalFilter: false', async () => {
    const app = await start({}, { refusalFilter: false });
    await stage.hold('ledger');
    expect(await request(app, '/decorated')).toMatchObject({ status: 500 });
  });

  test('is not made of a business error of a guarded handler', async () => {
    const app = await start();
    expect(await request(app, '/missing')).toMatchObject({
      status: 404,
      body: { message: 'no such account' },
    });
  });

  test('because Redis is away is 503 with Retry-After, reveals nothing of Redis, and is logged', async () => {
    const redis = await startRedis();
    const app = await stage.boot({
      imports: [stage.locks({ commandTimeout: 100 }, {}, redis.url)],
      controllers: [Api],
      providers: [Ledger],
    });
    await redis.pause();
    const answers = await Promise.all([request(app, '/decorated'), request(app, '/nested')]);
    for (const { status, headers, body } of answers) {
      expect([status, headers.get('retry-after')]).toEqual([503, '1']);
      expect(body).toEqual({
        statusCode: 503,
        error: 'Service Unavailable',
        message: 'Locks cannot be acquired at the moment. Try again later.',
        code: 'UNAVAILABLE',
        lock: 'ledger',
      });
    }
    expect(
      stage.logged.filter((line) => line.startsWith('error: Redis is unavailable for "ledger"')),
    ).toHaveLength(1);
    await redis.resume();
    await app.close();
    await redis.stop();
  });
});

describe('the form of other transports', () => {
  async function prepare() {
    const app = await start();
    const filter = new LockRefusalFilter(app.get(LockService), app.get(HttpAdapterHost));
    return (type: string, args: unknown[] = [], error: Error = HELD): unknown => {
      const host = new ExecutionContextHost(args);
      host.setType(type);
      return Reflect.apply(filter.catch, filter, [error, host]);
    };
  }

  const payload = {
    status: 'error',
    message: 'Lock "ledger" is held. Try again later.',
    code: 'NOT_ACQUIRED',
    lock: 'ledger',
  };

  test('GraphQL gets an error with extensions', async () => {
    const refuse = await prepare();
    expect(() => refuse('graphql')).toThrow(
      expect.objectContaining({
        message: payload.message,
        extensions: { code: 'LOCKED', lock: 'ledger', retryAfter: 1 },
      }),
    );
    const away = new LockUnavailableError('ledger', 'Redis at 10.0.0.1 is away.');
    expect(() => refuse('graphql', [], away)).toThrow(
      expect.objectContaining({ extensions: { code: 'LOCKS_UNAVAILABLE', lock: 'ledger', retryAfter: 1 } }),
    );
  });

  test('Socket.IO gets an exception event', async () => {
    const socket = new EventEmitter();
    const seen: unknown[] = [];
    socket.on('exception', (data: unknown) => seen.push(data));
    (await prepare())('ws', [socket, {}]);
    expect(seen).toEqual([payload]);
  });

  test('a native WebSocket gets the same as text', async () => {
    const seen: string[] = [];
    const socket = {
      readyState: 1,
      send: (text: string) => seen.push(text),
      emit: () => seen.push('stays in the process'),
    };
    (await prepare())('ws', [socket, {}]);
    expect(seen.map((text) => JSON.parse(text))).toEqual([{ event: 'exception', data: payload }]);
  });

  test('RPC gets an Observable that fails', async () => {
    const answer = (await prepare())('rpc') as Observable<never>;
    await expect(lastValueFrom(answer)).rejects.toEqual(payload);
  });

  test('gRPC gets a status that a client can tell from a failure', async () => {
    const refuse = await prepare();
    const call = { sendMetadata: () => undefined, getPath: () => '/locks.Guarded/Guarded' };
    const answer = async (error?: LockUnavailableError) => {
      const args = [{ id: '7' }, { getMap: () => ({}) }, call];
      return await lastValueFrom(refuse('rpc', args, error) as Observable<never>).catch((e: unknown) => e);
    };
    expect(await answer()).toEqual({ code: 10, message: payload.message });
    expect(await answer(new LockUnavailableError('ledger', 'Redis at 10.0.0.1 is away.'))).toEqual({
      code: 14,
      message: 'Locks cannot be acquired at the moment. Try again later.',
    });
  });

  test('an unknown one, and a handler without a response, get the error itself', async () => {
    const refuse = await prepare();
    expect(() => refuse('telegram')).toThrow(HELD);
    expect(() => refuse('http', [{}, undefined])).toThrow(HELD);
  });
});

describe('gateways, which have no global filters', () => {
  /** What `@WebSocketGateway` and `@UseFilters` of Nest note. */
  const isGateway = SetMetadata('websockets:is_gateway', true);
  const filtersOf = (gateway: object): unknown[] =>
    Reflect.getMetadata('__exceptionFilters__', gateway) ?? [];

  @Catch(TypeError)
  class Own {
    catch() {}
  }

  @Catch()
  class Everything {
    catch() {}
  }

  test('have the filter bound once, to be called after their own', async () => {
    @isGateway
    @UseFilters(Own)
    class Gateway {}
    await stage.start({ providers: [Gateway] });
    await stage.start({ providers: [Gateway] });
    const [refusals, ...own] = filtersOf(Gateway) as ExceptionFilter[];
    expect(own).toEqual([Own]);
    const seen: unknown[] = [];
    const socket = { emit: (event: string, data: unknown) => seen.push([event, data]) };
    const args = [HELD, new ExecutionContextHost([socket, {}])];
    Reflect.apply(Object(refusals).catch, refusals, args);
    expect(seen).toEqual([
      [
        'exception',
        {
          status: 'error',
          message: 'Lock "ledger" is held. Try again later.',
          code: 'NOT_ACQUIRED',
          lock: 'ledger',
        },
      ],
    ]);
  });

  test('have it bound once more, to be called before a filter that catches everything', async () => {
    @isGateway
    @UseFilters(Everything, Own)
    class Gateway {
      @UseFilters(Everything)
      handle() {}

      @UseFilters(Own)
      other() {}
    }
    await stage.start({ providers: [Gateway] });
    await stage.start({ providers: [Gateway] });
    const [refusals, ...others] = filtersOf(Gateway);
    expect(others).toEqual([Everything, refusals, Own]);
    expect(filtersOf(Gateway.prototype.handle)).toEqual([Everything, refusals]);
    expect(filtersOf(Gateway.prototype.other)).toEqual([Own]);
  });

  test('are left alone with refusalFilter: false, and so is every other class', async () => {
    @isGateway
    class Gateway {}
    await stage.start({ providers: [Gateway], extras: { refusalFilter: false } });
    await start();
    expect([filtersOf(Gateway), filtersOf(Ledger)]).toEqual([[], []]);
  });
});
