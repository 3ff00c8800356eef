import assert from 'node:assert/strict';
import {
  Controller,
  Get,
  Inject,
  Module,
  Param,
  type INestApplication,
  type MiddlewareConsumer,
  type NestModule,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ExpressAdapter } from '@nestjs/platform-express';
import { DistributedLock, LockService } from 'nestjs-distributed-lock';
import { Gate, type MatrixStage, SERVER } from './matrix.stage.js';

@Controller('accounts')
class Accounts {
  constructor(@Inject(Gate) private readonly gate: Gate) {}

  @Get(':id')
  @DistributedLock((id: string) => `account:${id}`)
  async read(@Param('id') id: string): Promise<object> {
    return { id, state: await this.gate.pass() };
  }
}

@Controller('tenant')
class Tenant {
  @Get()
  read(): string {
    return 'ran';
  }
}

async function start(stage: MatrixStage, adapter: ExpressAdapter | FastifyAdapter): Promise<string> {
  @Module({
    imports: [stage.locks()],
    controllers: [Accounts, Tenant],
    providers: [{ provide: Gate, useValue: stage.gate }],
  })
  class AppModule implements NestModule {
    constructor(@Inject(LockService) private readonly locks: LockService) {}

    /** Refuses: a call outside of the scope of a handle waits for it. */
    configure(consumer: MiddlewareConsumer): void {
      const refuse = async (_request: unknown, _response: unknown, next: () => void) => {
        await using held = await this.locks.getLock('tenant').lock();
        await this.locks.getLock(held.name).using(next, { waitTime: 0 });
      };
      consumer.apply(refuse).forRoutes('tenant');
    }
  }
  const app: INestApplication = stage.closes(await NestFactory.create(AppModule, adapter, SERVER));
  await app.listen(0, '127.0.0.1');
  return await app.getUrl();
}

async function checkAdapter(
  stage: MatrixStage,
  make: () => ExpressAdapter | FastifyAdapter,
): Promise<string> {
  const [one, other] = [await start(stage, make()), await start(stage, make())];
  let answer: unknown;
  const refused = await stage.collide(
    async () => (answer = await (await fetch(`${one}/accounts/7`)).json()),
    () => fetch(`${other}/accounts/7`),
  );
  assert.deepEqual(answer, { id: '7', state: 'done' });
  assert.equal(refused.status, 423);
  assert.equal(refused.headers.get('retry-after'), '1');
  const body = (await refused.json()) as { code: string; lock: string };
  assert.deepEqual([body.code, body.lock], ['NOT_ACQUIRED', 'account:7']);
  const tenant = await fetch(`${one}/tenant`);
  assert.deepEqual([tenant.status, tenant.headers.get('retry-after')], [423, '1']);
  assert.equal(((await tenant.json()) as { lock: string }).lock, 'tenant');
  return '423 Locked, Retry-After: 1';
}

export const checkExpress = (stage: MatrixStage) => checkAdapter(stage, () => new ExpressAdapter());
export const checkFastify = (stage: MatrixStage) =>
  checkAdapter(stage, () => new FastifyAdapter({ forceCloseConnections: true }));
