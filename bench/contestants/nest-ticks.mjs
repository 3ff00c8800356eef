import 'reflect-metadata';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Cron, ScheduleModule } from '@nestjs/schedule';
import { DistributedLock, DistributedLockModule } from '../../dist/esm/index.js';
import { connect } from './client.mjs';
import { decorate, notByHand } from './nest.mjs';

/**
 * An instance of an application whose jobs run each second, with the decorator or without it.
 * @param {string} url
 * @param {import('../bench.types.js').Settings} settings `guarded`; `jobs`: how many; `asks`: without a lock, but Redis is asked before each start
 * @returns {Promise<import('../bench.types.js').Contestant>}
 */
export async function open(url, { guarded, jobs, asks = false }) {
  /** @type {number[]} */
  const runs = [];
  /** @type {number[]} */
  const starts = [];
  const client = asks === true ? connect(url, false) : undefined;
  const names = Array.from({ length: Number(jobs) }, (_, index) => index);
  const root = appOf(names, guarded === true ? url : undefined, async (job) => {
    if (client !== undefined) await client.ping();
    runs.push(job);
    starts.push(performance.timeOrigin + performance.now());
  });
  const app = await NestFactory.createApplicationContext(root, { logger: false });
  return {
    ...notByHand(),
    /** Jobs and when they were started, in ms, until the next look. */
    look: () => ({ runs: runs.splice(0), starts: starts.splice(0) }),
    close: async () => {
      client?.disconnect();
      await app.close();
    },
  };
}

/** @param {readonly number[]} jobs @param {string | undefined} redis @param {(job: number) => Promise<void>} note */
function appOf(jobs, redis, note) {
  class Jobs {}
  for (const job of jobs) {
    const name = `job${job}`;
    const value = () => note(job);
    Object.defineProperty(Jobs.prototype, name, { value, writable: true, configurable: true });
    const guard = redis === undefined ? [] : [/** @type {MethodDecorator} */ (DistributedLock(name))];
    decorate(Jobs.prototype, name, Cron('* * * * * *'), ...guard);
  }
  Injectable()(Jobs);
  class App {}
  const guard = redis === undefined ? [] : [DistributedLockModule.forRoot({ redis })];
  Module({ imports: [ScheduleModule.forRoot(), ...guard], providers: [Jobs] })(App);
  return App;
}
