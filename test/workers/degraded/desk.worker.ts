import 'reflect-metadata';
import type { Server } from 'node:http';
import { closeSync, openSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Controller, Get, Module, Param, type LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { currentLock, DistributedLock, DistributedLockModule } from 'nestjs-distributed-lock';
import { LoopLag } from '../../support/faults/loop.lag.js';
import type { DeskMessage, DeskSettings } from './desk.protocol.js';
import { sourceForClient } from '../../support/client.choice.js';

const settings: DeskSettings = JSON.parse(process.env['DESK_WORKER'] ?? '{}');

function tell(message: DeskMessage): void {
  process.send?.(message);
}

for (const event of ['unhandledRejection', 'uncaughtException'])
  process.on(event, (error) => tell({ kind: 'trouble', text: `${event}: ${String(error)}` }));
process.once('disconnect', () => process.exit());

/** Work that nobody but its lock keeps apart, in this process and in all others; a file that is there already tells. */
async function work(name: string): Promise<string> {
  if (currentLock()?.isHeld !== true) tell({ kind: 'trouble', text: `${name} ran unlocked` });
  const file = join(settings.folder, name);
  try {
    closeSync(openSync(file, 'wx'));
  } catch (error) {
    tell({ kind: 'trouble', text: `${name} ran twice at a time: ${String(error)}` });
    return 'overlapped';
  }
  await sleep(8);
  unlinkSync(file);
  return 'served';
}

@Controller()
class Desk {
  @Get('free')
  free() {
    return 'served';
  }

  @Get('accounts/:id')
  @DistributedLock('account:{0}')
  async account(@Param('id') id: string) {
    return await work(`account-${id}`);
  }

  @Get('hot')
  @DistributedLock('hot', { waitTime: '200ms' })
  async hot() {
    return await work('hot');
  }
}

@Module({
  imports: [DistributedLockModule.forRoot({ redis: sourceForClient(settings.redis), shutdownTimeout: 1000 })],
  controllers: [Desk],
})
class AppModule {}

const line = (message: unknown, ...rest: unknown[]) => {
  if (rest.at(-1) === 'DistributedLock') tell({ kind: 'log', text: String(message) });
};
const logger: LoggerService = { log: () => undefined, warn: line, error: line };
const app = await NestFactory.create(AppModule, { logger });
await app.listen(0, '127.0.0.1');
// A connection that the server closes for idleness, just when its client sends, is no news here.
const server: Server = app.getHttpServer();
server.keepAliveTimeout = 60_000;
tell({ kind: 'ready', url: await app.getUrl() });
const lag = new LoopLag();
setInterval(() => tell({ kind: 'lag', worst: lag.worst }), 200);
