import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { DistributedLockModule, LockService, type RedLockOptions } from 'nestjs-distributed-lock';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { DoorStage } from '../doors/door.stage.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { QuorumStage } from './quorum.stage.js';

let stage: QuorumStage;
let doors: DoorStage;
beforeAll(async () => {
  stage = await QuorumStage.open();
});
afterEach(async () => {
  await doors?.close();
  await stage.clear();
});
afterAll(() => stage.close());

@Injectable()
class Payouts {
  constructor(readonly locks: LockService) {}

  run(work: () => Promise<string>): Promise<string> {
    return this.locks.getRedLock('payouts').using(work, { waitTime: '5s' });
  }
}

async function start(redLock: RedLockOptions | undefined, redis = inject('redisUrl')) {
  doors = new DoorStage();
  const locks = DistributedLockModule.forRoot({
    redis,
    namePrefix: stage.prefix,
    commandTimeout: 300,
    ...(redLock === undefined ? {} : { redLock }),
  });
  return await doors.boot({
    imports: [locks],
    providers: [
      { provide: Payouts, useFactory: (service: LockService) => new Payouts(service), inject: [LockService] },
    ],
  });
}

const urls = () => stage.seats.map(({ url }) => url);

describe('an application with red locks', () => {
  test('takes them on its servers, and leaves nothing behind when it closes', async () => {
    const app = await start({ servers: urls(), restartDelay: 0 });
    const ran = await app.get(Payouts).run(async () => {
      await until('they have it', async () => (await stage.keys('payouts')) >= 3);
      return 'paid';
    });
    expect(ran).toBe('paid');
    const clients = async () =>
      (await Promise.all(stage.seats.map(({ admin }) => admin.client('LIST')))).filter((list) =>
        String(list).includes('name=distributed-lock:'),
      ).length;
    expect(await clients()).toBe(5);
    await app.close();
    await until('its connections are closed', async () => (await clients()) === 0);
    await stage.expectNothingLeft();
  });

  test('starts while a minority of them is down, and counts them once they are there', async () => {
    await stage.kill(1, 2);
    const began = performance.now();
    const app = await start({ servers: urls(), restartDelay: 0 });
    expect(performance.now() - began).toBeLessThan(scaled(2000));
    expect(await app.get(Payouts).run(async () => 'paid by three')).toBe('paid by three');
    await stage.heal();
    await stage.untilCounted(app.get(LockService));
    await stage.kill(3, 4);
    expect(await app.get(Payouts).run(async () => 'paid by others')).toBe('paid by others');
  });

  test(
    'does not start while the majority is down, and reports how many could be reached',
    async () => {
      await stage.kill(0, 2, 4);
      const ports = stage.some(0, 2, 4).map(({ port }) => port);
      const error: unknown = await start({ servers: urls() }).catch((refused: unknown) => refused);
      expect(error).toMatchObject({
        name: 'LockUnavailableError',
        code: 'UNAVAILABLE',
        message: expect.stringContaining('2 of the 5 servers of redLock are reachable, and 3 are needed'),
      });
      for (const port of ports) expect(String(error)).toContain(`127.0.0.1:${port} is unavailable: `);
    },
    scaled(15_000),
  );

  test.for([
    ['three independent servers, not 2', (all: string[]) => all.slice(0, 2)],
    ['three independent servers, not 3, of which 2 differ', ([a = '', b = '']: string[]) => [a, b, a]],
    ['redLock.servers[1]', ([a = '', b = '']: string[]) => [a, 'http://wrong', b]],
  ] as const)('does not start with servers that cannot make a quorum (%#)', async ([said, pick]) => {
    await expect(start({ servers: pick(urls()) })).rejects.toMatchObject({
      name: 'LockConfigurationError',
      code: 'INVALID_OPTION',
      message: expect.stringContaining(said),
    });
  });

  test('does not start with a delay below the lease of the watchdog', async () => {
    await expect(start({ servers: urls(), restartDelay: '29s' })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining(
        'redLock.restartDelay must be 0, or not less than lockWatchdogTimeout',
      ),
    });
  });

  test('gets an error of getRedLock when it has none', async () => {
    const app = await start(undefined);
    expect(() => app.get(LockService).getRedLock('x')).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining('redLock.servers'),
      }),
    );
  });
});

/** A process that takes a red lock, waits for one in vain, and closes its application: then nothing keeps it alive. */
const PROCESS = `
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DistributedLockModule, LockService } from 'nestjs-distributed-lock';

const { redis, servers, namePrefix } = JSON.parse(process.env.RED_LOCK);
class AppModule {}
Module({ imports: [DistributedLockModule.forRoot({
  redis, namePrefix, commandTimeout: 300, shutdownTimeout: 200, redLock: { servers, restartDelay: 0 },
})] })(AppModule);
const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
const locks = app.get(LockService);
const held = await locks.getRedLock('x').lock();
const waiting = locks.getRedLock('x').lock().catch(({ code }) => code);
console.log(held.isHeld, held.signal.aborted);
await app.close();
console.log(await waiting, held.isHeld);
`;

test(
  'a process with red locks ends by itself once its application has closed',
  async () => {
    const settings = { redis: inject('redisUrl'), servers: urls(), namePrefix: stage.prefix };
    await stage.kill(4);
    const child = spawn(process.execPath, ['--input-type=module', '--eval', PROCESS], {
      env: { ...process.env, RED_LOCK: JSON.stringify(settings) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [output, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    expect([output.trim().split('\n'), errors, code]).toEqual([['true false', 'SHUTTING_DOWN false'], '', 0]);
    await stage.heal();
    await stage.expectNothingLeft();
  },
  scaled(30_000),
);
