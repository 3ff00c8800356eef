import assert from 'node:assert/strict';
import { fromJSON } from '@grpc/proto-loader';
import { Controller, Inject, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ClientProxyFactory, GrpcMethod, Transport } from '@nestjs/microservices';
import { DistributedLock } from 'nestjs-distributed-lock';
import { lastValueFrom, type Observable } from 'rxjs';
import { freePort } from './free.port.js';
import { CONTEXT, Gate, type MatrixStage } from './matrix.stage.js';

interface Guards {
  guarded(data: { id: string }): Observable<{ text: string }>;
}

const type = 'string';
const PROTOCOL = fromJSON({
  nested: {
    locks: {
      nested: {
        Guards: { methods: { guarded: { requestType: 'Question', responseType: 'Answer', comment: '' } } },
        Question: { fields: { id: { type, id: 1 } } },
        Answer: { fields: { text: { type, id: 1 } } },
      },
    },
  },
});

@Controller()
class Guarded {
  constructor(@Inject(Gate) private readonly gate: Gate) {}

  @GrpcMethod('Guards', 'guarded')
  @DistributedLock('grpc:{0.id}')
  async guarded(_data: { id: string }): Promise<{ text: string }> {
    return { text: await this.gate.pass() };
  }
}

async function start(stage: MatrixStage): Promise<() => Promise<unknown>> {
  @Module({
    imports: [stage.locks()],
    controllers: [Guarded],
    providers: [{ provide: Gate, useValue: stage.gate }],
  })
  class AppModule {}
  const options = {
    package: 'locks',
    packageDefinition: PROTOCOL,
    url: `127.0.0.1:${await freePort()}`,
  };
  const app = stage.closes(
    await NestFactory.createMicroservice(AppModule, { transport: Transport.GRPC, options, ...CONTEXT }),
  );
  await app.listen();
  const client = ClientProxyFactory.create({ transport: Transport.GRPC, options });
  stage.closes({ close: async () => client.close() });
  const service = client.getService<Guards>('Guards');
  return () => lastValueFrom(service.guarded({ id: '7' }));
}

export async function checkGrpc(stage: MatrixStage): Promise<string> {
  const [one, other] = [await start(stage), await start(stage)];
  let answer: unknown;
  const refused: unknown = await stage.collide(
    async () => (answer = await one()),
    () => other().catch((error: unknown) => error),
  );
  assert.deepEqual(answer, { text: 'done' });
  const { code, details }: { readonly code?: unknown; readonly details?: unknown } = Object(refused);
  assert.deepEqual([code, details], [10, 'Lock "grpc:7" is held. Try again later.']);
  return 'status ABORTED with a message';
}
