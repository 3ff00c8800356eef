import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { Services, uniquePrefix } from '../support/services.js';
import { until } from '../support/until.js';
import { compileBlocks, readBlocks } from './code.blocks.js';

const folder = resolve('dist/docs/readme');

let services: Services;

beforeEach(() => {
  services = new Services();
});

afterEach(async () => {
  await services.close();
});

/** What a reader would do with the start's files: run the application, send requests, look at the job. */
const READER = `
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { LockService } from 'nestjs-distributed-lock';
import { AppModule } from './app.module.js';
import { Accounts } from './accounts.js';
import { byHand } from './by.hand.js';
import { Invoices } from './invoices.js';

const apps = await Promise.all([1, 2].map(() => NestFactory.create(AppModule, { logger: false })));
const [url] = await Promise.all(apps.map(async (app) => { await app.listen(0, '127.0.0.1'); return app.getUrl(); }));
const post = (path) => fetch(url + path, { method: 'POST' });
const statuses = (await Promise.all(Array.from({ length: 5 }, () => post('/accounts/a/withdrawals')))).map(({ status }) => status);
await Promise.all([post('/accounts/a/transfers/b'), post('/accounts/b/transfers/a')]);
const sent = () => apps.flatMap((app) => app.get(Invoices).sent);
while (sent().length < 3) await new Promise((resolve) => setTimeout(resolve, 50));
console.log(JSON.stringify({
  statuses,
  balance: apps[0].get(Accounts).balances.get('a'),
  byHand: await byHand(apps[0].get(LockService)),
  ticks: sent().length,
  differentTicks: new Set(sent()).size,
}));
await Promise.all(apps.map((app) => app.close()));
`;

test(
  'the five-minute start of the README compiles and does what it says',
  async () => {
    expect(compileBlocks(readBlocks('README.md'), folder)).toEqual([]);
    writeFileSync(resolve(folder, 'reader.js'), READER);
    // The start has the default prefix, so it gets a database of its own on the shared server.
    const reader = spawn(process.execPath, [resolve(folder, 'reader.js')], {
      env: { ...process.env, REDIS_URL: `${inject('redisUrl')}/15`, npm_package_name: uniquePrefix() },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [output, errors] = await Promise.all([
      text(reader.stdout),
      text(reader.stderr),
      once(reader, 'exit'),
    ]);
    expect(errors).toBe('');
    const seen: unknown = JSON.parse(output);
    expect(seen).toEqual({
      statuses: [201, 201, 201, 201, 201],
      balance: 50,
      byHand: 'held by us',
      ticks: 3,
      differentTicks: 3,
    });
  },
  scaled(60_000),
);

test(
  'the code of the other pages compiles, and the dynamic job runs each instant once',
  async () => {
    const pages = resolve('dist/docs/pages');
    expect(
      compileBlocks(
        [
          'ticks',
          'reference',
          'locks',
          'fencing',
          'red-lock',
          'replication',
          'java',
          'degraded-redis',
          'leader-election',
          'environments',
        ].flatMap((page) => readBlocks(`docs/${page}.md`)),
        pages,
      ),
    ).toEqual([]);
    const { closeTheBooks } = await import(pathToFileURL(resolve(pages, 'dynamic.job.js')).href);
    const [a, b] = [await services.open({ appName: 'ledger' }), await services.open({ appName: 'ledger' })];
    const day = new Date('2026-01-01');
    expect(await closeTheBooks(a, day)).toBe('closed here');
    expect(await closeTheBooks(b, day)).toBe('completed by ledger');
    const { payOut } = await import(pathToFileURL(resolve(pages, 'payouts.js')).href);
    expect(await payOut(a, '1')).toBe('paid');
    const { consume } = await import(pathToFileURL(resolve(pages, 'queue.consumer.js')).href);
    const stored: unknown[] = [];
    const store = async (message: string, token: bigint) => {
      stored.push(message, token === election.token);
      await election.stop();
    };
    const election = consume(a, async () => 'a message', store);
    await until('it leads', () => stored.length > 0);
    await election.stop();
    expect(stored).toEqual(['a message', true]);
    await services.admin.del(`redisson_lock_token:{${services.prefix}queue-consumer}`);
    const away = await services.open({ commandTimeout: 100 }, { port: 1, lazyConnect: true });
    expect(await payOut(away, '1')).toBe('queued');
  },
  scaled(60_000),
);
