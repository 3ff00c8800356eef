import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { say } from '../cli/command.stage.js';
import { ownRedis } from '../locks/own.redis.js';
import { Services } from '../support/services.js';
import { scaled } from '../support/slowness.js';

const BIN = fileURLToPath(new URL('../../dist/esm/cli/main.js', import.meta.url));

/** In ms. */
const BOUND = 500;
/** A command that ends by no signal but SIGKILL, and by itself at last. */
const STAYS = "process.on('SIGTERM', () => {}); console.log('began'); setTimeout(() => {}, 15_000);";

let services: Services;
let service: LockService;
beforeEach(async () => {
  services = new Services();
  service = await services.open();
});
afterEach(() => services.close());

/** `run` as a process of its own, whose command has begun. */
async function begun(...options: string[]) {
  const args = [
    BIN,
    'run',
    'x',
    '--prefix',
    services.prefix,
    ...options,
    '--',
    process.execPath,
    '-e',
    STAYS,
  ];
  const env = { ...process.env, REDIS_URL: inject('redisUrl') };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  return { child, ended };
}

function expectSince(start: number): void {
  expect(performance.now() - start).toBeGreaterThan(BOUND - 5);
  expect(performance.now() - start).toBeLessThan(BOUND + scaled(800));
}

describe('a time of the command line lasts from the begin of the command', () => {
  const server = ownRedis();

  test('--wait: of run, until it gives up', async () => {
    const handle = await service.getLock('x').lock();
    const start = performance.now();
    const args = ['run', 'x', '--wait', `${BOUND}`, '--prefix', services.prefix, '--', 'true'];
    expect((await say(args, inject('redisUrl'))).code).toBe(75);
    expectSince(start);
    await handle.unlock();
  });

  test('--timeout: of ls, where Redis does not answer', async () => {
    await server().pause();
    const start = performance.now();
    const { code } = await say(['ls', '--timeout', `${BOUND}`], server().url);
    await server().resume();
    expect(code).not.toBe(0);
    expectSince(start);
  });

  test('--grace: of run, from the loss of the lock until the command is killed', async () => {
    // The loss of a lease that is not renewed is noticed within a third of it.
    const { ended } = await begun('--grace', `${BOUND}`, '--lease', `${scaled(1500)}`);
    const start = performance.now();
    await service.getLock('x').forceUnlock();
    expect(await ended).toEqual([76, null]);
    expectSince(start);
  });

  test('--lease: of run, until another process has the lock of one that was killed', async () => {
    const lease = scaled(2000);
    const start = performance.now();
    const { child, ended } = await begun('--lease', `${lease}`);
    const started = performance.now();
    child.kill('SIGKILL');
    await ended;
    const handle = await service.getLock('x').lock();
    expect(performance.now() - start).toBeGreaterThan(lease - 5);
    expect(performance.now() - started).toBeLessThan(lease + scaled(400));
    await handle.unlock();
  });
});
