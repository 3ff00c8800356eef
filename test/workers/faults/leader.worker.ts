import 'reflect-metadata';
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Redis } from 'ioredis';
import {
  DistributedLockModule,
  guardedWrite,
  LockService,
  StaleTokenError,
  type Election,
} from 'nestjs-distributed-lock';
import { settings, tell } from './fault.channel.js';
import type { FaultCommand } from './fault.protocol.js';
import { sourceForClient } from '../../support/client.choice.js';

@Module({
  imports: [DistributedLockModule.forRoot({ ...settings, redis: sourceForClient(settings.redis) })],
})
class WorkerModule {}

const app = await NestFactory.createApplicationContext(WorkerModule, { logger: false });
app.enableShutdownHooks();
const locks = app.get(LockService);
const redis = new Redis(settings.redis);
const fence = `{${settings.namePrefix}journal}:fence`;
const journal = `{${settings.namePrefix}journal}`;
const machineTime = () => Number(process.hrtime.bigint() / 1000n);

let election: Election | undefined;
let last = { token: 0n, signal: new AbortController().signal };

async function write(token: bigint, line: string): Promise<void> {
  try {
    await guardedWrite(redis, { fence, token }, [['RPUSH', journal, line]]);
  } catch (error) {
    if (!(error instanceof StaleTokenError)) throw error;
    tell({ kind: 'stale', token: `${token}` });
  }
}

/** Each line of the journal is a time, in µs of the machine's monotonic clock, at both ends of which it believed to lead. */
async function lead(signal: AbortSignal, token: bigint): Promise<void> {
  tell({ kind: 'elected', token: `${token}` });
  last = { token, signal };
  while (!signal.aborted) {
    const begin = machineTime();
    const believed = election?.isLeader === true;
    await sleep(2);
    if (believed && election?.isLeader === true)
      await write(token, `${token} ${process.pid} ${begin} ${machineTime()}`);
  }
}

/** Gives nobody else a turn until it has stood still; then the first instruction asks whether it leads. */
function watch(longest: number): void {
  let before = performance.now();
  // Whoever reads this may stop the process before its next instruction.
  writeSync(1, 'watching\n');
  for (;;) {
    const gap = performance.now() - before;
    before += gap;
    if (gap <= longest) continue;
    const { token, signal } = last;
    const wasAborted = signal.aborted;
    const isHeld = election?.isLeader === true;
    tell({ kind: 'seen', sighting: { gap, wasAborted, isHeld, isAborted: signal.aborted } });
    void write(token, `${token} late`);
    return;
  }
}

process.on('message', ({ command }: { id: number; command: FaultCommand }) => {
  if (command.do === 'watch') return watch(command.gap);
  if (command.do !== 'stand') throw new Error('this worker stands for election');
  election = locks.elect(command.name, {
    onElected: lead,
    onRevoked: (reason) => tell({ kind: 'revoked', code: (reason as Error & { code: string }).code }),
  });
});
tell({ kind: 'ready' });
