import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  DistributedLockModule,
  LockService,
  type LockHandle,
  type LockOptions,
} from 'nestjs-distributed-lock';
import { machineTime } from '../../kinds/machine.clock.js';
import { Stopwatch } from '../../support/stopwatch.js';
import type { KindCommand, KindMessage, KindSettings, Section, TakenKind } from './kind.protocol.js';
import { sourceForClient } from '../../support/client.choice.js';

const { redis, prefix, lockWatchdogTimeout }: KindSettings = JSON.parse(process.env['KIND_WORKER'] ?? '{}');

@Module({
  imports: [
    DistributedLockModule.forRoot({ redis: sourceForClient(redis), namePrefix: prefix, lockWatchdogTimeout }),
  ],
})
class WorkerModule {}

const app = await NestFactory.createApplicationContext(WorkerModule, { logger: false });
const locks = app.get(LockService);
/** What a worker has. */
type Taken = Pick<LockHandle, 'holder' | 'token' | 'unlock'>;

const held = new Map<number, Taken>();

const LOCK_OF: Readonly<
  Record<TakenKind, (name: string) => { lock(options?: LockOptions): Promise<Taken> }>
> = {
  reentrant: (name) => locks.getLock(name),
  fair: (name) => locks.getFairLock(name),
  fenced: (name) => locks.getFencedLock(name),
  read: (name) => locks.getReadWriteLock(name).readLock(),
  write: (name) => locks.getReadWriteLock(name).writeLock(),
  permit: (name) => ({ lock: (options) => locks.getPermitExpirableSemaphore(name).acquire(options) }),
  semaphore: (name) => ({ lock: (options) => takePermit(name, options) }),
};

function tell(message: KindMessage): void {
  process.send?.(message);
}

/** A permit of a plain semaphore has no holder. */
async function takePermit(name: string, options?: LockOptions): Promise<Taken> {
  const semaphore = locks.getSemaphore(name);
  await semaphore.acquire(1, options);
  return {
    holder: '',
    token: undefined,
    unlock: () => semaphore.release().then(() => 'released'),
  };
}

async function unlock(id: number, handle: Taken): Promise<void> {
  held.delete(id);
  tell({ kind: 'ended', id, how: await handle.unlock(), at: machineTime() });
}

async function take(command: Extract<KindCommand, { do: 'take' }>): Promise<void> {
  const { id, kind, name, holdFor, leaseTime } = command;
  const watch = new Stopwatch();
  const handle = await LOCK_OF[kind](name).lock(leaseTime === undefined ? {} : { leaseTime });
  held.set(id, handle);
  tell({ kind: 'granted', id, holder: handle.holder, at: machineTime(), late: watch.late });
  if (holdFor === undefined) return;
  if (holdFor > 0) await sleep(holdFor);
  await unlock(id, handle);
}

async function stream(command: Extract<KindCommand, { do: 'stream' }>): Promise<Section[]> {
  const { kind, name, callers, holdFor, ms } = command;
  const lock = LOCK_OF[kind](name);
  const sections: Section[] = [];
  const end = performance.now() + ms;
  const caller = async (number: number) => {
    // Spread over one hold, so that there is always one under way.
    if (holdFor > 0) await sleep((holdFor * number) / callers);
    while (performance.now() < end) {
      const handle = await lock.lock();
      const begin = machineTime();
      if (holdFor > 0) await sleep(holdFor);
      else await new Promise((resolve) => setImmediate(resolve));
      sections.push({ begin, end: machineTime(), token: handle.token?.toString() });
      await handle.unlock();
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, number) => caller(number)));
  return sections;
}

async function obey(command: KindCommand): Promise<void> {
  const { id } = command;
  if (command.do === 'take') return await take(command);
  if (command.do === 'stream') return tell({ kind: 'streamed', id, sections: await stream(command) });
  const handle = held.get(id);
  if (handle === undefined) throw new Error(`${id} holds nothing`);
  return await unlock(id, handle);
}

process.on('message', (command: KindCommand) => {
  obey(command).catch((error: { code?: string }) =>
    tell({ kind: 'ended', id: command.id, how: error.code ?? String(error), at: machineTime() }),
  );
});
process.once('disconnect', () => process.exit());
tell({ kind: 'ready' });
