import assert from 'node:assert/strict';
import { Inject, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { DistributedLock, LockNotAcquiredError } from 'nestjs-distributed-lock';
import { CONTEXT, Gate, type MatrixStage } from './matrix.stage.js';

@Injectable()
class Listener {
  readonly skipped: string[] = [];

  constructor(@Inject(Gate) private readonly gate: Gate) {}

  @OnEvent('placed', { suppressErrors: false })
  @DistributedLock('order:{0.id}')
  async placed(_order: { id: string }): Promise<string> {
    return await this.gate.pass();
  }

  @DistributedLock('order:{0.id}', { onBusy: 'skip' })
  @OnEvent('seen')
  async seen(_order: { id: string }): Promise<string | undefined> {
    return 'ran';
  }
}

async function start(stage: MatrixStage): Promise<(event: string) => Promise<unknown[]>> {
  @Module({
    imports: [stage.locks(), EventEmitterModule.forRoot()],
    providers: [Listener, { provide: Gate, useValue: stage.gate }],
  })
  class AppModule {}
  const app = stage.closes(await NestFactory.createApplicationContext(AppModule, CONTEXT));
  await app.init();
  return (event) => app.get(EventEmitter2).emitAsync(event, { id: '7' });
}

export async function checkEvent(stage: MatrixStage): Promise<string> {
  const [one, other] = [await start(stage), await start(stage)];
  let answer: unknown;
  const [skipped, refused] = await stage.collide(
    async () => (answer = await one('placed')),
    async () => [await other('seen'), await other('placed').catch((error: unknown) => error)] as const,
  );
  assert.deepEqual(answer, ['done']);
  assert.deepEqual(skipped, [undefined]);
  assert.ok(refused instanceof LockNotAcquiredError, String(refused));
  assert.deepEqual(await other('seen'), ['ran']);
  return "the emitter's error, or nothing with onBusy: 'skip'";
}
