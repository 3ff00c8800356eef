import 'reflect-metadata';
import { Logger, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { MemoryStore } from 'nestjs-distributed-lock/testing';
import { InstanceModule } from './instance.module.js';

const store = new MemoryStore();

async function start(instance: string, port: number): Promise<INestApplication> {
  const app = await NestFactory.create(InstanceModule.on(store, instance), {
    logger: ['log', 'warn', 'error'],
  });
  app.enableShutdownHooks(['SIGINT', 'SIGTERM']);
  await app.listen(port);
  return app;
}

const one = await start('one', Number(process.env['PORT'] ?? 3000));
// Its port does not matter: it is there to compete for the ticks.
await start('two', 0);
Logger.log(`Open ${await one.getUrl()}`, 'Playground');
