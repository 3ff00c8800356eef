import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Redis } from 'ioredis';
import { DistributedLockModule, LockService } from 'nestjs-distributed-lock';
import { HistoryWriter, type WorkerEvent } from '../../chaos/history.js';
import { SeededDice } from '../../chaos/seeded.dice.js';
import { sourceOf } from '../../chaos/way.client.js';
import { BeliefBook } from './belief.book.js';
import { callAgainAndAgain, type Workshop } from './chaos.caller.js';
import type { ChaosCommand, ChaosMessage, ChaosSettings } from './chaos.protocol.js';
import { leftInside } from './inside.look.js';
import { probe } from './lock.probe.js';
import { OutsideDesk } from './outside.desk.js';
import { RegisterBook } from './register.book.js';

const settings: ChaosSettings = JSON.parse(process.env['CHAOS_WORKER'] ?? '{}');
const history = new HistoryWriter<WorkerEvent>(settings.history);

function tell(message: ChaosMessage): void {
  process.send?.(message);
}

for (const event of ['unhandledRejection', 'uncaughtException'] as const)
  process.on(event, (error: unknown) =>
    history.write({
      kind: 'trouble',
      text: `${event}: ${error instanceof Error ? error.stack : String(error)}`,
    }),
  );

@Module({
  imports: [
    DistributedLockModule.forRoot({
      redis: sourceOf(settings.way),
      namePrefix: settings.prefix,
      lockWatchdogTimeout: settings.watchdog,
      commandTimeout: settings.commandTimeout,
      shutdownTimeout: 1000,
      ...(settings.redServers.length === 0 ? {} : { redLock: { servers: settings.redServers } }),
    }),
  ],
})
class WorkerModule {}

/** A worker that is started while Redis is away tries again, as whoever restarts processes does. */
async function start() {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await NestFactory.createApplicationContext(WorkerModule, { logger: false, abortOnError: false });
    } catch (error) {
      if (attempt === 100) throw error;
      await sleep(100);
    }
  }
}

const app = await start();
const locks = app.get(LockService);
const beliefs = new BeliefBook(history);
const registers = new Redis(settings.registers);
const desk = new OutsideDesk();
const finishing = new AbortController();
let ops = 0;
const shop: Workshop = {
  settings,
  locks,
  history,
  beliefs,
  registers: new RegisterBook(registers, desk),
  finishing: finishing.signal,
  nextOp: () => (ops += 1),
};

history.write({ kind: 'started', pid: process.pid, watchdog: settings.watchdog });
const callers = Array.from({ length: settings.callers }, (_, caller) =>
  callAgainAndAgain(shop, SeededDice.of(settings.seed, settings.worker, settings.life, caller)),
);

async function finish(): Promise<void> {
  finishing.abort();
  await Promise.all(callers);
  history.write({ kind: 'idle', left: await leftInside(locks) });
  tell({ kind: 'idle' });
}

async function leave(): Promise<void> {
  beliefs.close();
  await app.close();
  registers.disconnect();
  history.close();
  process.off('disconnect', orphaned);
  // From here on nothing may keep the process alive.
  process.disconnect();
}

process.on('message', (command: ChaosCommand) => {
  switch (command.do) {
    case 'outside':
      return desk.answered(command.reply);
    case 'block':
      return beliefs.block(command.ms);
    case 'finish':
      return void finish();
    case 'probe':
      return void probe(locks, settings, command.within).then((stuck) => tell({ kind: 'probed', stuck }));
    case 'leave':
      return void leave();
  }
});
const orphaned = () => process.exit();
process.once('disconnect', orphaned);
tell({ kind: 'ready' });
