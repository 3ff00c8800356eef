// An application as a user writes it; compiled once as CommonJS for Nest 11 and once as an ES module for Nest 12.
import 'reflect-metadata';
import { Controller, Get, Injectable, Module, Param } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Cron, ScheduleModule } from '@nestjs/schedule';
import { currentLock, DistributedLock, DistributedLockModule, LockService } from 'nestjs-distributed-lock';

@Injectable()
class Job {
  readonly ticks: (number | undefined)[] = [];

  @Cron('* * * * * *')
  @DistributedLock('job')
  async run(): Promise<void> {
    this.ticks.push(currentLock()?.tick);
  }
}

@Controller()
class Door {
  inside = 0;
  most = 0;

  @Get('guarded/:id')
  @DistributedLock((id: string) => `guarded:${id}`, { waitTime: '5s' })
  async guarded(@Param('id') id: string): Promise<string> {
    this.inside += 1;
    this.most = Math.max(this.most, this.inside);
    await new Promise((resolve) => setTimeout(resolve, 20));
    this.inside -= 1;
    return id;
  }

  @Get('refused')
  @DistributedLock('taken')
  async refused(): Promise<void> {
    throw new Error('must not run: the lock is taken');
  }
}

@Module({
  imports: [
    ScheduleModule.forRoot(),
    DistributedLockModule.forRoot({
      redis: process.env['REDIS_URL'] ?? '',
      namePrefix: process.env['PREFIX'] ?? '',
    }),
  ],
  controllers: [Door],
  providers: [Job],
})
class AppModule {}

async function main(): Promise<void> {
  const apps = await Promise.all(
    [1, 2].map(() => NestFactory.create(AppModule, { logger: ['error', 'warn'] })),
  );
  const [app] = apps;
  if (app === undefined) throw new Error('no application');
  await Promise.all(apps.map((each) => each.listen(0, '127.0.0.1')));
  const url = await app.getUrl();
  const status = async (path: string) => (await fetch(url + path)).status;
  const guarded = await Promise.all([1, 2, 3, 4].map(() => status('/guarded/a')));
  const handle = await app.get(LockService).getLock('taken').lock();
  const refused = await status('/refused');
  await handle.unlock();
  const ticks = () => apps.flatMap((each) => each.get(Job).ticks);
  while (ticks().length < 2) await new Promise((resolve) => setTimeout(resolve, 50));
  const seen = ticks();
  await Promise.all(apps.map((each) => each.close()));
  const { most } = app.get(Door);
  console.log(JSON.stringify({ guarded, most, refused, ticks: seen.length, different: new Set(seen).size }));
}

void main();
