import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RunningRedis, StartOptions } from './redis.types.js';
import { provideRedis, startRedis } from './redis.runner.mjs';

const started: RunningRedis[] = [];

async function start(options?: StartOptions): Promise<RunningRedis> {
  const redis = await startRedis(options);
  started.push(redis);
  return redis;
}

afterEach(async () => {
  await Promise.all(started.splice(0).map((redis) => redis.kill('SIGKILL')));
});

/** What a Redis answers to one inline command within the time, or what kept it from answering. */
function ask(port: number, command: string, within = 2_000): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${command}\r\n`));
    const settle = (answer: string) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(within, () => settle('silence'));
    socket.once('data', (data) => settle(data.toString()));
    socket.once('error', (error: NodeJS.ErrnoException) => settle(error.code ?? 'error'));
  });
}

describe('startRedis', () => {
  it('answers on a port of its own, without persistence, in a folder that goes with it', async () => {
    const [one, other] = await Promise.all([start(), start()]);
    expect(one.port).not.toBe(other.port);
    expect(await ask(one.port, 'PING')).toBe('+PONG\r\n');
    expect(await ask(one.port, 'CONFIG GET save')).toMatch(/save\r\n\$0\r\n/);
    const [folder = ''] = /\/.*redis-\w+/.exec(await ask(one.port, 'CONFIG GET dir')) ?? [];
    expect(existsSync(folder)).toBe(true);
    await one.stop();
    expect(await ask(one.port, 'PING')).toBe('ECONNREFUSED');
    expect(existsSync(folder)).toBe(false);
    expect(await ask(other.port, 'PING')).toBe('+PONG\r\n');
  });

  it('takes a port, arguments and a reader of its log', async () => {
    const { port } = await start();
    await started.pop()?.stop();
    const lines: string[] = [];
    const again = await start({ port, args: ['--databases', '3'], onLog: (line) => lines.push(line) });
    expect(again.port).toBe(port);
    expect(await ask(port, 'SELECT 3')).toMatch(/^-ERR/);
    expect(lines.join('\n')).toContain('Ready to accept connections');
  });

  it('runs nodes of a cluster', async () => {
    const { port } = await start({ args: ['--cluster-enabled', 'yes'] });
    expect(await ask(port, 'CLUSTER INFO')).toContain('cluster_state');
  });

  it('pauses, resumes, and stops while paused', async () => {
    const redis = await start();
    await redis.pause();
    expect(await ask(redis.port, 'PING', 200)).toBe('silence');
    await redis.resume();
    expect(await ask(redis.port, 'PING')).toBe('+PONG\r\n');
    await redis.pause();
    await redis.stop();
    await redis.exited;
  });

  it('reports why a server does not start', async () => {
    await expect(startRedis({ args: ['--no-such-option', 'x'] })).rejects.toThrow(
      /did not start[\s\S]*no-such-option/i,
    );
    const { port } = await start();
    await expect(startRedis({ port })).rejects.toThrow(/in use/);
  });

  it('does not outlive its process, nor keep it alive', async () => {
    const endings = [(child: ChildProcess) => child.disconnect()];
    // Only Linux ties a child to a parent that could not say goodbye.
    if (process.platform === 'linux') endings.push((child) => child.kill('SIGKILL'));
    for (const end of endings) {
      const child = fork(join(import.meta.dirname, 'redis.parent.fixture.mjs'));
      const [port] = (await once(child, 'message')) as [number];
      expect(await ask(port, 'PING')).toBe('+PONG\r\n');
      end(child);
      await once(child, 'exit');
      await vi.waitFor(async () => expect(await ask(port, 'PING')).toBe('ECONNREFUSED'), { interval: 10 });
    }
  });
});

describe('provideRedis', () => {
  it('gives the Redis of REDIS_URL and leaves it alone', async () => {
    const { url, port } = await start();
    vi.stubEnv('REDIS_URL', url);
    const borrowed = await provideRedis();
    expect(borrowed).toMatchObject({ url, port, pid: 0 });
    await expect(borrowed.pause()).rejects.toThrow(/not ours to stop/);
    await borrowed.stop();
    expect(await ask(port, 'PING')).toBe('+PONG\r\n');
  });
});
