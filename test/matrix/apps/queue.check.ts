import assert from 'node:assert/strict';
import { Inject, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { BullModule, getQueueToken, Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job, Queue } from 'bullmq';
import { DistributedLock } from 'nestjs-distributed-lock';
import { CONTEXT, Gate, type MatrixStage, until } from './matrix.stage.js';

@Processor('work', { drainDelay: 1 })
class Worker extends WorkerHost {
  constructor(@Inject(Gate) private readonly gate: Gate) {
    super();
  }

  @DistributedLock('customer:{0.data.customer}')
  async process(_job: Job<{ customer: string }>): Promise<string> {
    return await this.gate.pass();
  }
}

async function start(stage: MatrixStage): Promise<Queue> {
  const { hostname: host, port } = new URL(stage.redis);
  @Module({
    imports: [
      stage.locks(),
      BullModule.forRoot({ connection: { host, port: Number(port) }, prefix: `{${stage.prefix}}` }),
      BullModule.registerQueue({ name: 'work' }),
    ],
    providers: [Worker, { provide: Gate, useValue: stage.gate }],
  })
  class AppModule {}
  const app = stage.closes(await NestFactory.createApplicationContext(AppModule, CONTEXT));
  return app.get<Queue>(getQueueToken('work'));
}

export async function checkQueue(stage: MatrixStage): Promise<string> {
  const [queue] = [await start(stage), await start(stage)];
  const { gate } = stage;
  const options = { attempts: 1000, backoff: { type: 'fixed', delay: 30 } };
  const jobs = [
    await queue.add('one', { customer: '7' }, options),
    await queue.add('two', { customer: '7' }, options),
  ];
  const states = () => Promise.all(jobs.map(({ id = '' }) => queue.getJob(id)));
  const isRefused = until('one job is refused while the other one runs', async () =>
    (await states()).some((job) => job?.failedReason?.includes('"customer:7"')),
  );
  await Promise.race([isRefused, gate.overlap]);
  gate.open();
  await until('both jobs are completed', async () => (await queue.getJobCounts())['completed'] === 2);
  assert.deepEqual([gate.entered, gate.most], [2, 1]);
  return 'the job fails, and its next attempt runs it';
}
