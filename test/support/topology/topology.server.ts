import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startRedis } from '../../../tools/redis/redis.runner.mjs';
import type { RunningRedis } from '../../../tools/redis/redis.types.js';
import type { Address } from './topology.source.js';

/**
 * Below the ports that the kernel gives to clients, the bus of a cluster, 10,000 above, included: a server that was killed
 * finds its port free when it comes again.
 */
const PORTS = { from: 12_000, count: 10_000 };

/**
 * Test files that run at the same time have ports of their own: clients of a server that was killed go on asking at its address,
 * and must not find somebody else's sentinel there. "npm test" runs one suite with such servers at a time; 0 is the setup for all its files.
 */
const SHARE = Math.floor(PORTS.count / 8);
const FIRST = PORTS.from + (Number(process.env['VITEST_POOL_ID'] ?? 0) % 8) * SHARE;
const ATTEMPTS = 20;

export interface ServerOptions {
  /** Further arguments of redis-server. */
  readonly args?: readonly string[] | undefined;
  /** Further variables of its environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** What its configuration file says at first. */
  readonly config?: () => string;
  /** Whether all that it was told is on disk: then it can be restarted with its data. */
  readonly persistent?: boolean;
}

/** A folder for servers that go and come again; it goes with this process. */
export class TopologyFolder {
  readonly #clear = () => rmSync(this.path, { recursive: true, force: true });

  private constructor(readonly path: string) {
    process.once('exit', this.#clear);
  }

  static async make(): Promise<TopologyFolder> {
    return new TopologyFolder(await mkdtemp(join(tmpdir(), 'topology-')));
  }

  async remove(): Promise<void> {
    process.off('exit', this.#clear);
    await rm(this.path, { recursive: true, force: true });
  }
}

/** A server that can be killed and come again at its address. */
export class TopologyServer implements Address {
  readonly host = '127.0.0.1';
  /** Speaks to this very server, and connects again when that comes back. */
  readonly admin: Redis;
  #isAlive = true;
  #isPaused = false;

  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly options: ServerOptions,
    private running: RunningRedis,
  ) {
    this.admin = new Redis({
      port,
      host: this.host,
      lazyConnect: true,
      maxRetriesPerRequest: 3,
      commandTimeout: 5000,
      retryStrategy: () => 50,
    });
    // A server that is killed on purpose is no news.
    this.admin.on('error', () => undefined);
  }

  static async start(folder: TopologyFolder, options: ServerOptions = {}): Promise<TopologyServer> {
    for (let attempt = 1; ; attempt += 1) {
      const port = FIRST + Math.floor(Math.random() * SHARE);
      const own = join(folder.path, `${port}`);
      try {
        return new TopologyServer(port, own, options, await launch(port, own, options));
      } catch (error) {
        if (attempt === ATTEMPTS || !String(error).includes('in use')) throw error;
      }
    }
  }

  get address(): Address {
    return { host: this.host, port: this.port };
  }

  get pid(): number {
    return this.running.pid;
  }

  /** Whether its process is there: paused ones are, killed ones are not. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Whether it can be asked: neither killed nor paused. */
  get answers(): boolean {
    return this.#isAlive && !this.#isPaused;
  }

  /** `kill -9`: connections are cut, and what was not written is gone. */
  async kill(): Promise<void> {
    this.#isAlive = false;
    this.#isPaused = false;
    // What is paused dies all the same.
    await this.running.kill('SIGKILL');
  }

  /** Stops it without ending it: connections stay open, nothing is answered. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.running.pause();
  }

  async resume(): Promise<void> {
    await this.running.resume();
    this.#isPaused = false;
  }

  /**
   * Starts it again, at its address and as the node that it was; kills it before where it runs.
   * @param settings.keepData with the data that it had, for which it must be `persistent`; it comes empty otherwise
   * @param settings.args instead of those that it was started with
   */
  async restart(
    settings: { readonly keepData?: boolean; readonly args?: readonly string[] } = {},
  ): Promise<void> {
    if (settings.keepData === true && this.options.persistent !== true)
      throw new Error('only a persistent server has data to keep');
    if (this.#isAlive) await this.kill();
    if (settings.keepData !== true)
      await Promise.all(
        ['dump.rdb', 'appendonly.aof', 'appendonlydir'].map((name) =>
          rm(join(this.folder, name), { recursive: true, force: true }),
        ),
      );
    const args = settings.args ?? this.options.args;
    this.running = await launch(this.port, this.folder, { ...this.options, args });
    this.#isAlive = true;
  }

  async stop(): Promise<void> {
    this.#isAlive = false;
    this.admin.disconnect();
    // Nothing of it is kept, and a replica of one that has gone would take its time.
    await this.running.kill('SIGKILL');
  }
}

async function launch(port: number, folder: string, options: ServerOptions): Promise<RunningRedis> {
  await mkdir(folder, { recursive: true });
  const { args = [], config, env = {}, persistent = false } = options;
  const kept = persistent ? ['--appendonly', 'yes', '--appendfsync', 'no'] : [];
  return await startRedis({
    port,
    folder,
    env,
    args: [...kept, ...args],
    ...(config && { config: config() }),
  });
}
