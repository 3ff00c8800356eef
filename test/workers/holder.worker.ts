// Holds locks in a process of its own, to be stopped and killed by a test.
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { DistributedLockModule, LockService, type LockHandle } from 'nestjs-distributed-lock';
import type { HolderCommand, HolderReport } from './holder.protocol.js';

const troubles: string[] = [];
process.on('unhandledRejection', (reason) => troubles.push(`unhandled rejection: ${String(reason)}`));
process.on('uncaughtException', (error) => troubles.push(`uncaught exception: ${String(error)}`));

const { REDIS_URL: redis = '', PREFIX: namePrefix = '', LEASE: lockWatchdogTimeout } = process.env;
const app = await NestFactory.createApplicationContext(
  DistributedLockModule.forRoot({ redis, namePrefix, lockWatchdogTimeout: Number(lockWatchdogTimeout) }),
  { logger: false },
);
const handles = new Map<string, LockHandle>();
let aborted = 0;
let lastAbort = 0;

function report(message: HolderReport): void {
  process.send?.(message);
}

async function hold(names: readonly string[]): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      const handle = await app.get(LockService).getLock(name).lock();
      handle.signal.addEventListener('abort', () => {
        aborted += 1;
        lastAbort = Date.now();
      });
      handles.set(name, handle);
    }),
  );
  report({ kind: 'holding' });
}

/** Keeps the event loop busy until the process has stood still, and reports what the first instruction after that sees. */
function spin(name: string): void {
  const handle = handles.get(name);
  if (handle === undefined) throw new Error(`"${name}" is not held`);
  const { signal } = handle;
  let last = performance.now();
  for (let at = last; at - last < 500; at = performance.now()) last = at;
  const { isHeld } = handle;
  report({ kind: 'woke', isHeld, aborted: signal.aborted });
}

async function unlock(name: string): Promise<void> {
  report({ kind: 'unlocked', outcome: (await handles.get(name)?.unlock()) ?? 'lost' });
}

process.on('message', (command: HolderCommand) => {
  if (command.kind === 'hold') void hold(command.names);
  else if (command.kind === 'spin') {
    report({ kind: 'spinning' });
    // The report has left once the next turn begins.
    setTimeout(() => spin(command.name), 50);
  } else if (command.kind === 'unlock') void unlock(command.name);
  else if (command.kind === 'look') report({ kind: 'state', aborted, lastAbort, troubles });
  else void app.close().then(() => process.disconnect());
});
report({ kind: 'ready' });
