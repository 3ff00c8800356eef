import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { AppSettings } from './settings/app.settings.js';

const app = await NestFactory.create(AppModule);
app.enableShutdownHooks();
const { port, host } = app.get(AppSettings);
await app.listen(port, host);
