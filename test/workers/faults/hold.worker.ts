import 'reflect-metadata';
import { writeSync } from 'node:fs';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DistributedLockModule, LockService, type LockHandle } from 'nestjs-distributed-lock';
import { LoopLag } from '../../support/faults/loop.lag.js';
import { settings, tell } from './fault.channel.js';
import type { FaultCommand, Sighting } from './fault.protocol.js';
import { standStill } from '../../support/stand.still.js';
import { sourceForClient } from '../../support/client.choice.js';

@Module({
  imports: [DistributedLockModule.forRoot({ ...settings, redis: sourceForClient(settings.redis) })],
})
class WorkerModule {}

const app = await NestFactory.createApplicationContext(WorkerModule, { logger: false });
app.enableShutdownHooks();
const locks = app.get(LockService);
const lag = new LoopLag();
const held = new Map<string, LockHandle>();

function heldAs(name: string): LockHandle {
  const handle = held.get(name);
  if (handle === undefined) throw new Error(`"${name}" was never taken`);
  return handle;
}

/** The signal is read before anything can go wrong: what it says later is what work that looks at nothing else learns. */
async function hold(name: string, leaseTime: number | undefined): Promise<string> {
  const handle = await locks.getLock(name).lock({ leaseTime });
  held.set(name, handle);
  const { signal } = handle;
  signal.addEventListener('abort', () => {
    const { code } = signal.reason as { code: string };
    tell({ kind: 'aborted', name, at: performance.timeOrigin + performance.now(), code });
  });
  return handle.holder;
}

function look(handle: LockHandle, signal: AbortSignal, gap: number): Sighting {
  const wasAborted = signal.aborted;
  const { isHeld } = handle;
  return { gap, wasAborted, isHeld, isAborted: signal.aborted };
}

function watch(name: string, longest: number, by: 'loop' | 'timer'): void {
  const handle = heldAs(name);
  const { signal } = handle;
  let last = performance.now();
  const step = (): boolean => {
    const at = performance.now();
    const gap = at - last;
    last = at;
    if (gap > longest) tell({ kind: 'seen', sighting: look(handle, signal, gap) });
    return gap > longest;
  };
  const tick = () => {
    if (!step()) setTimeout(tick, 1);
  };
  // Written at once, and not by an event: from now on whatever stops the process is seen.
  writeSync(1, 'watching\n');
  if (by === 'timer') tick();
  else while (!step());
}

function block(name: string, ms: number): Sighting {
  const handle = heldAs(name);
  const { signal } = handle;
  const start = performance.now();
  standStill(ms);
  return look(handle, signal, performance.now() - start);
}

function tellEnd(name: string, ending: Promise<unknown>): void {
  ending.then(
    (value) => tell({ kind: 'ended', name, how: String(value) }),
    (error: { code?: string }) => tell({ kind: 'ended', name, how: error.code ?? String(error) }),
  );
}

const machineTime = () => Number(process.hrtime.bigint() / 1000n);

async function contend(name: string, callers: number, ms: number): Promise<[number, number][]> {
  const holds: [number, number][] = [];
  const end = performance.now() + ms;
  const caller = async () => {
    while (performance.now() < end) {
      await locks.getLock(name).using(async () => {
        const begin = machineTime();
        await new Promise((resolve) => setImmediate(resolve));
        holds.push([begin, machineTime()]);
      });
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return holds;
}

async function obey(command: Exclude<FaultCommand, { do: 'watch' | 'run' | 'stand' }>): Promise<unknown> {
  switch (command.do) {
    case 'hold':
      return await Promise.all(command.names.map((name) => hold(name, command.leaseTime)));
    case 'block':
      return block(command.name, command.ms);
    case 'wait':
      return tellEnd(command.name, locks.getLock(command.name).lock());
    case 'work':
      return tellEnd(
        command.name,
        locks.getLock(command.name).using(async ({ signal }) => {
          tell({ kind: 'ended', name: `${command.name} begun`, how: '' });
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          return (signal.reason as Error).message;
        }),
      );
    case 'contend':
      return await contend(command.name, command.callers, command.ms);
    case 'lag':
      return lag.worst;
    case 'unlock':
      return await heldAs(command.name).unlock();
    case 'is-held':
      return heldAs(command.name).isHeld;
  }
}

process.on('message', ({ id, command }: { id: number; command: FaultCommand }) => {
  if (command.do === 'run' || command.do === 'stand') throw new Error('other workers do that');
  if (command.do === 'watch') return watch(command.name, command.gap, command.by);
  obey(command).then(
    (value) => tell({ kind: 'answer', id, value }),
    (error: unknown) => tell({ kind: 'answer', id, error: String(error) }),
  );
});
tell({ kind: 'ready' });
