import 'reflect-metadata';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Controller, Inject, Module, Param, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { currentLock, DistributedLock, DistributedLockModule, LockService } from 'nestjs-distributed-lock';
import { settings, tell } from './fault.channel.js';
import type { FaultCommand } from './fault.protocol.js';
import { sourceForClient } from '../../support/client.choice.js';

/** What only the lock protects from lost updates. */
const placed = new Map<string, number>();

@Controller()
class Orders {
  constructor(@Inject(LockService) private readonly locks: LockService) {}

  @Post('orders/:shop')
  @DistributedLock('shop:{0}', { waitTime: '10s' })
  async place(@Param('shop') shop: string): Promise<{ order: number }> {
    const order = (placed.get(shop) ?? 0) + 1;
    await sleep(20);
    await this.locks.getLock(`stock:${shop}`).using(() => sleep(5));
    placed.set(shop, order);
    return { order };
  }

  /** Works until its signal aborts. */
  @Post('stock-taking')
  @DistributedLock('stock-taking')
  async takeStock(): Promise<{ ended: string }> {
    const signal = currentLock()?.signal;
    if (signal === undefined) throw new Error('it runs without a lock');
    tell({ kind: 'ended', name: 'stock-taking', how: 'begun' });
    await once(signal, 'abort');
    return { ended: String(Reflect.get(Object(signal.reason), 'code')) };
  }
}

@Module({
  imports: [DistributedLockModule.forRoot({ ...settings, redis: sourceForClient(settings.redis) })],
  controllers: [Orders],
})
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: false });
app.use((request: { headers: Record<string, string> }, _response: unknown, next: () => void) => {
  tell({ kind: 'accepted', request: request.headers['x-request'] ?? '' });
  next();
});
app.enableShutdownHooks();
await app.listen(0, '127.0.0.1');

process.on('message', ({ id, command }: { id: number; command: FaultCommand }) => {
  if (command.do !== 'run') throw new Error('this worker serves requests and runs jobs');
  const { name, ms } = command;
  const run = app.get(LockService).runOnce(name, Date.now(), async () => {
    tell({ kind: 'answer', id });
    await sleep(ms);
    return 'completed';
  });
  void run.then((how) => tell({ kind: 'ended', name, how: String(how) }));
});
tell({ kind: 'ready', url: await app.getUrl() });
