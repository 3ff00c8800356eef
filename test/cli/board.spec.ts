import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { act } from '../dashboard/board.stage.js';
import { Services } from '../support/services.js';
import { scaled } from '../support/slowness.js';

const COMMAND = fileURLToPath(new URL('../../dist/esm/cli/main.js', import.meta.url));

let services: Services;
let locks: LockService;
const started: ChildProcess[] = [];

beforeEach(async () => {
  services = new Services();
  locks = await services.open();
});
afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  await services.close();
});

/** A command as a process, and the lines that it prints. */
function start(...args: string[]) {
  const child = spawn(process.execPath, [COMMAND, ...args, '--prefix', services.prefix], {
    env: { ...process.env, REDIS_URL: inject('redisUrl') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async () => String((await lines.next()).value);
  return { child, line };
}

async function endOf(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  return (await ended)[0];
}

/** The status of a request that names another host, which fetch does not send. */
async function statusFor(url: string, host: string): Promise<number | undefined> {
  const asked = request(url, { headers: { host } }).end();
  const [response] = await once(asked, 'response');
  response.resume();
  return response.statusCode;
}

describe('board', { timeout: scaled(40_000) }, () => {
  test('serves the dashboard on this machine, with actions', async () => {
    await locks.runOnce('report', 1, () => undefined);
    const { child, line } = start('board', '--port', '0', '--json');
    const { url } = JSON.parse(await line()) as { url: string };
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await (await fetch(`${url}/`)).text()).toContain('data-root="./"');
    expect(await (await fetch(`${url}/api/about`)).json()).toMatchObject({
      namePrefix: services.prefix,
      isReadOnly: false,
    });
    expect(await act(url, { action: 'pause', job: 'report' })).toMatchObject({
      status: 200,
      answer: { isDone: true },
    });
    expect(await locks.jobs.status('report')).toMatchObject({ paused: expect.any(Number) });
    expect(await statusFor(`${url}/api/about`, 'rebound.example')).toBe(403);
    expect(await statusFor(`${url}/api/about`, 'localhost')).toBe(200);
    expect(await endOf(child)).toBe(0);
    await services.admin.del(await services.keys());
  });

  test('can be read-only, and names a port that is in use', async () => {
    const { child, line } = start('board', '--port', '0', '--json', '--read-only');
    const { url } = JSON.parse(await line()) as { url: string };
    expect((await act(url, { action: 'pause', job: 'report' })).status).toBe(403);
    const second = start('board', '--port', new URL(url).port);
    let note = '';
    second.child.stderr?.on('data', (data) => (note += data));
    const [code] = await once(second.child, 'exit');
    expect({ code, note }).toEqual({ code: 2, note: expect.stringContaining('is in use') });
    expect(await endOf(child)).toBe(0);
  });
});

describe('top', { timeout: scaled(40_000) }, () => {
  test('prints jobs and locks, once where there is no terminal', async () => {
    await locks.runOnce('report', 1, () => undefined);
    const held = await locks.getLock('order').lock();
    const { child, line } = start('top');
    const lines = [
      await line(),
      await line(),
      await line(),
      await line(),
      await line(),
      await line(),
      await line(),
    ];
    const text = lines.join('\n');
    expect(text).toMatch(/1 jobs, 0 running +1 locks/);
    expect(text).toMatch(/^report +idle/m);
    expect(text).toMatch(/^order +lock/m);
    if (child.exitCode === null) await once(child, 'exit');
    expect(child.exitCode).toBe(0);
    await held.unlock();
    await services.admin.del(await services.keys());
  });

  test('prints a line of JSON each second, until it is ended', async () => {
    const held = await locks.getLock('order').lock();
    const { child, line } = start('top', '--json');
    for (let at = 0; at < 2; at += 1)
      expect(JSON.parse(await line())).toMatchObject({ jobs: [], locks: [{ name: 'order', kind: 'lock' }] });
    expect(await endOf(child)).toBe(0);
    await held.unlock();
  });
});
