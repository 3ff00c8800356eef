import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { AppSettings } from './settings/app.settings.js';

const app = await NestFactory.create(AppModule);
app.enableShutdownHooks();
await app.listen(app.get(AppSettings).port, '127.0.0.1');
