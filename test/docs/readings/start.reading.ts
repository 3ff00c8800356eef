import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { withoutCronWarnings } from '../../support/cron.warning.js';
import { uniquePrefix } from '../../support/services.js';
import type { DocStage, Readings } from '../doc.stage.js';

/** What a reader would do with the start's files: run the application, send requests, look at the job. */
const READER = `
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LockService } from 'nestjs-distributed-lock';
import { AppModule } from './app.module.js';
import { Accounts } from './accounts.js';
import { byHand } from './by.hand.js';

class Root {}
Module({ imports: [AppModule], controllers: [Accounts] })(Root);
const ticks = [];
console.log = (...words) => { if (words[0] === 'tick') ticks.push(words[1]); };
const apps = await Promise.all([1, 2].map(() => NestFactory.create(Root, { logger: false })));
const [url] = await Promise.all(apps.map(async (app) => { await app.listen(0, '127.0.0.1'); return app.getUrl(); }));
const post = (path) => fetch(url + path, { method: 'POST' });
const statuses = (await Promise.all(Array.from({ length: 5 }, () => post('/accounts/a/withdrawals')))).map(({ status }) => status);
await Promise.all([post('/accounts/a/transfers/b'), post('/accounts/b/transfers/a')]);
while (ticks.length < 3) await new Promise((resolve) => setTimeout(resolve, 50));
process.stdout.write(JSON.stringify({
  statuses,
  balance: apps[0].get(Accounts).balances.get('a'),
  byHand: await byHand(apps[0].get(LockService)),
  ticks: ticks.length,
  differentTicks: new Set(ticks).size,
}));
await Promise.all(apps.map((app) => app.close()));
`;

/** Runs the start as its reader does: two instances of the application, as a process of their own. */
async function runStart(stage: DocStage): Promise<void> {
  const script = resolve('dist/docs/pages/README/reader.js');
  writeFileSync(script, READER);
  const reader = spawn(process.execPath, [script], {
    env: { ...process.env, REDIS_URL: stage.url, npm_package_name: uniquePrefix() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors] = await Promise.all([
    text(reader.stdout),
    text(reader.stderr),
    once(reader, 'exit'),
  ]);
  expect(withoutCronWarnings(errors)).toBe('');
  const seen: unknown = JSON.parse(output);
  expect(seen).toEqual({
    statuses: [201, 201, 201, 201, 201],
    balance: 50,
    byHand: 'done',
    ticks: 3,
    differentTicks: 3,
  });
}

export const START_READINGS: Readings = { 'README.md': { 'app.module.ts': runStart } };
