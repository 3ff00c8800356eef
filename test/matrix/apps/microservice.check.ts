import assert from 'node:assert/strict';
import { Controller, Inject, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ClientProxyFactory, MessagePattern, Payload, Transport } from '@nestjs/microservices';
import { DistributedLock } from 'nestjs-distributed-lock';
import { lastValueFrom } from 'rxjs';
import { freePort } from './free.port.js';
import { CONTEXT, Gate, type MatrixStage } from './matrix.stage.js';

@Controller()
class Guarded {
  constructor(@Inject(Gate) private readonly gate: Gate) {}

  @MessagePattern('guarded')
  @DistributedLock('message:{0.id}')
  async guarded(@Payload() _data: { id: string }): Promise<string> {
    return await this.gate.pass();
  }
}

async function start(stage: MatrixStage): Promise<() => Promise<unknown>> {
  @Module({
    imports: [stage.locks()],
    controllers: [Guarded],
    providers: [{ provide: Gate, useValue: stage.gate }],
  })
  class AppModule {}
  const options = { host: '127.0.0.1', port: await freePort() };
  const app = stage.closes(
    await NestFactory.createMicroservice(AppModule, {
      transport: Transport.TCP,
      options,
      ...CONTEXT,
    }),
  );
  await app.listen();
  const client = ClientProxyFactory.create({ transport: Transport.TCP, options });
  stage.closes({ close: async () => await client.close() });
  return () => lastValueFrom(client.send<unknown>('guarded', { id: '7' }));
}

export async function checkMicroservice(stage: MatrixStage): Promise<string> {
  const [one, other] = [await start(stage), await start(stage)];
  let answer: unknown;
  const refused = await stage.collide(
    async () => (answer = await one()),
    () => other().catch((error: unknown) => ({ error })),
  );
  assert.equal(answer, 'done');
  assert.deepEqual(refused, {
    error: {
      status: 'error',
      message: 'Lock "message:7" is held. Try again later.',
      code: 'NOT_ACQUIRED',
      lock: 'message:7',
    },
  });
  return 'an error with status, message, code and lock';
}
