import {
  Controller,
  Get,
  Inject,
  Module,
  type INestApplication,
  type MiddlewareConsumer,
  type NestModule,
} from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { LockService } from 'nestjs-distributed-lock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DoorStage, request } from './door.stage.js';

let stage: DoorStage;
let app: INestApplication | undefined;
beforeEach(() => {
  stage = new DoorStage();
});
afterEach(async () => {
  await app?.close();
  await stage.close();
});

@Controller()
class Tenants {
  @Get('tenant')
  read(): string {
    return 'ran';
  }
}

async function start(adapter: ExpressAdapter | FastifyAdapter): Promise<INestApplication> {
  @Module({ imports: [stage.locks()], controllers: [Tenants] })
  class AppModule implements NestModule {
    constructor(@Inject(LockService) private readonly locks: LockService) {}

    configure(consumer: MiddlewareConsumer): void {
      const middleware = async (
        { url }: { readonly url: string },
        response: ServerResponse,
        next: () => void,
      ) => {
        if (url.includes('begun')) response.writeHead(200).write('begun');
        await this.locks.using('tenant', () => next(), { waitTime: 0 });
      };
      consumer.apply(middleware).forRoutes('tenant');
    }
  }
  app = await NestFactory.create(AppModule, adapter, { logger: false, abortOnError: false });
  await app.listen(0, '127.0.0.1');
  return app;
}

describe.each([
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter({ forceCloseConnections: true })],
])('a lock in a middleware of %s', (_, adapter) => {
  test('that is busy is answered as in a handler', async () => {
    const running = await start(adapter());
    expect((await request(running, '/tenant')).body).toBe('ran');
    await stage.hold('tenant');
    const { status, headers, body } = await request(running, '/tenant');
    expect([status, headers.get('retry-after')]).toEqual([423, '1']);
    expect(body).toMatchObject({ statusCode: 423, code: 'NOT_ACQUIRED', lock: 'tenant' });
  });

  test('that is busy ends a response that has begun', async () => {
    const running = await start(adapter());
    await stage.hold('tenant');
    const response = await fetch(`${await running.getUrl()}/tenant?begun`);
    expect([response.status, await response.text()]).toEqual([200, 'begun']);
  });
});
