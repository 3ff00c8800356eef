import assert from 'node:assert/strict';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Cron, ScheduleModule } from '@nestjs/schedule';
import { currentLock, DistributedLock } from 'nestjs-distributed-lock';
import { CONTEXT, type MatrixStage, until } from './matrix.stage.js';

@Injectable()
class Jobs {
  readonly ticks: (number | undefined)[] = [];

  @Cron('* * * * * *')
  @DistributedLock('job')
  async run(): Promise<void> {
    this.ticks.push(currentLock()?.tick);
  }
}

export async function checkCron(stage: MatrixStage): Promise<string> {
  @Module({ imports: [ScheduleModule.forRoot(), stage.locks()], providers: [Jobs] })
  class AppModule {}
  const start = async () => stage.closes(await NestFactory.createApplicationContext(AppModule, CONTEXT));
  const apps = [await start(), await start()];
  const ticks = () => apps.flatMap((app) => app.get(Jobs).ticks);
  await until('two ticks', () => new Set(ticks()).size >= 2);
  assert.equal(new Set(ticks()).size, ticks().length, 'a tick ran twice');
  return 'each tick runs once';
}
