import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Redis } from 'ioredis';
import { DistributedLockModule, LockService, type LockHandle } from 'nestjs-distributed-lock';
import { writeSections } from '../../interop/lock.sections.js';
import type { WorkerCommand, WorkerMessage, WorkerSettings } from './interop.protocol.js';
import { lockOf } from './lock.kinds.js';
import { lockLoop } from './lock.loop.js';
import { sourceForClient } from '../../support/client.choice.js';

const { redis, lockWatchdogTimeout }: WorkerSettings = JSON.parse(process.env['INTEROP_WORKER'] ?? '{}');

@Module({
  imports: [
    DistributedLockModule.forRoot({ redis: sourceForClient(redis), lockWatchdogTimeout, namePrefix: '' }),
  ],
})
class WorkerModule {}

const app = await NestFactory.createApplicationContext(WorkerModule, { logger: false });
const locks = app.get(LockService);
const store = new Redis(redis);
const held = new Map<string, LockHandle>();

async function obey(command: WorkerCommand): Promise<string> {
  if (command.do === 'unlock') {
    const handle = held.get(command.holder);
    return String(await handle?.unlock());
  }
  const lock = lockOf(locks, command.kind, command.name);
  if (command.do === 'lock') {
    const handle = await lock.lock({ leaseTime: command.leaseTime, waitTime: command.waitTime });
    held.set(handle.holder, handle);
    return handle.holder;
  }
  const end = performance.now() + command.ms;
  const scopes = Array.from({ length: command.scopes }, () =>
    lockLoop(lock, store, command.counter, () => performance.now() < end),
  );
  return writeSections((await Promise.all(scopes)).flat());
}

const now = () => performance.timeOrigin + performance.now();
const tell = (message: WorkerMessage) => process.send?.(message);

process.on('message', ({ id, command }: { id: number; command: WorkerCommand }) => {
  const from = now();
  obey(command).then(
    (value) => tell({ kind: 'answer', id, value, from, at: now() }),
    (error: unknown) => tell({ kind: 'answer', id, value: '', from, at: now(), error: String(error) }),
  );
});
process.once('disconnect', () => process.exit());
tell({ kind: 'ready' });
