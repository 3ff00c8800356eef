import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import { scaled } from '../support/slowness.js';
import { DemoProcess } from './demo.process.js';

/** Where a user starts the demo, and the command line. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const LIMIT = scaled(60_000);

describe('npm run demo', () => {
  let server: Awaited<ReturnType<typeof startRedis>>;
  let redis: Redis;
  let demo: DemoProcess;

  beforeAll(async () => {
    server = await startRedis();
    redis = new Redis(server.url);
  });

  beforeEach(() => redis.flushall());

  afterEach(() => demo.kill());

  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  it(
    'runs each tick once through a crash, keeps the money, and leaves nothing behind',
    { timeout: LIMIT },
    async () => {
      demo = new DemoProcess(server.url, ['--seconds', '14']);
      await demo.exit(0);

      const { verdict } = demo;
      expect(Object.values(verdict).filter(({ ok }) => !ok)).toEqual([]);
      expect(verdict['ticks expected']?.value).toBe('7');
      expect(verdict['run twice']?.value).toBe('0');
      expect(verdict['missed without a reason']?.value).toBe('0');
      expect(Number(verdict['crashed']?.value)).toBeGreaterThanOrEqual(1);
      expect(verdict['money expected']?.detail).toBe(`found ${verdict['money expected']?.value}`);
      expect(demo.output).toContain('PASSED');
      expect(demo.survivors).toEqual([]);
      expect(await redis.dbsize()).toBe(0);
    },
  );

  it('shows double runs and wrong money without the library', { timeout: LIMIT }, async () => {
    demo = new DemoProcess(server.url, ['--seconds', '10', '--unsafe']);
    await demo.exit(1);

    const { verdict } = demo;
    expect(Number(verdict['run twice']?.value)).toBeGreaterThanOrEqual(5);
    expect(verdict['money expected']?.ok).toBe(false);
    expect(demo.output).toMatch(/FAILED: .*run twice.*money/);
    expect(demo.survivors).toEqual([]);
    expect(await redis.dbsize()).toBe(0);
  });

  it('takes everything along when it is interrupted', { timeout: LIMIT }, async () => {
    demo = new DemoProcess(server.url, ['--instances', '2']);
    await vi.waitFor(() => expect(demo.output).toContain('completed'), { timeout: LIMIT, interval: 50 });
    expect(demo.survivors.length).toBeGreaterThan(0);
    demo.interrupt();
    await demo.exit(130);
    expect(demo.survivors).toEqual([]);
    expect(await redis.dbsize()).toBe(0);
  });

  it(
    'names one dashboard, of an instance that stays, and a command that lists the jobs',
    { timeout: LIMIT },
    async () => {
      demo = new DemoProcess(server.url, ['--seconds', '10', '--board']);
      const commands = () => demo.output.match(/^npx nestjs-distributed-lock jobs .*$/gm) ?? [];
      const boards = () => demo.output.match(/http:\S+\/locks/g) ?? [];
      await vi.waitFor(() => expect(boards()).toHaveLength(1), { timeout: LIMIT, interval: 50 });
      expect((await fetch(boards()[0] ?? '')).status).toBe(200);
      expect(commands()).toHaveLength(1);
      const { stdout } = await promisify(execFile)('npx', (commands()[0] ?? '').split(' ').slice(1), {
        cwd: ROOT,
      });
      expect(stdout).toMatch(/^billing /m);
      demo.interrupt();
      await demo.exit(130);
      expect(boards()).toHaveLength(1);
      expect(demo.survivors).toEqual([]);
    },
  );

  it('takes its instances along when it is killed itself', { timeout: LIMIT }, async () => {
    demo = new DemoProcess(server.url, ['--instances', '2']);
    await vi.waitFor(() => expect(demo.survivors.length).toBe(2), { timeout: LIMIT, interval: 50 });
    await demo.kill();
    await vi.waitFor(() => expect(demo.survivors).toEqual([]), { timeout: scaled(5_000), interval: 20 });
  });

  it.each([
    ['--seconds', '3'],
    ['--instances', '1'],
    ['--port-base', 'x'],
  ])('refuses %s %s with a sentence', async (name, value) => {
    demo = new DemoProcess(server.url, [name, value]);
    await demo.exit(1);
    expect(demo.output).toMatch(
      new RegExp(`^${name} must be a whole number from \\d+ to \\d+, not "${value}"\\n$`),
    );
  });
});
