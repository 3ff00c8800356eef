import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startRedis } from '../../../tools/redis/redis.runner.mjs';
import type { RunningRedis } from '../../../tools/redis/redis.types.js';
import { TcpProxy } from '../../support/faults/tcp.proxy.js';
import { until } from '../../support/until.js';

/** A user of Redis beside the default one. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** A Redis of its own that keeps its data when it is killed, and a way to it that can be made slow. */
export class DegradedStage {
  /** Looks at Redis on the direct way; it is not there while Redis is not. */
  readonly admin: Redis;

  private constructor(
    private redis: RunningRedis,
    readonly folder: string,
    readonly wire: TcpProxy,
  ) {
    this.admin = new Redis(redis.port, '127.0.0.1', {
      retryStrategy: () => 20,
      maxLoadingRetryTime: 20,
    });
    // A Redis that is stopped on purpose is no news.
    this.admin.on('error', () => undefined);
  }

  static async open(args: readonly string[] = []): Promise<DegradedStage> {
    const folder = await mkdtemp(join(tmpdir(), 'degraded-'));
    const redis = await startRedis({ folder, args });
    return new DegradedStage(redis, folder, await TcpProxy.open(redis.port));
  }

  get port(): number {
    return this.redis.port;
  }

  /** Ends Redis as a power cut would. */
  async kill(): Promise<void> {
    await this.redis.kill();
  }

  /** Starts it again on its port and in its folder; resolves when it serves. */
  async start(args: readonly string[] = []): Promise<void> {
    this.redis = await startRedis({ port: this.port, folder: this.folder, args });
  }

  /** What a connection that has just been made is told when it writes; why there was none otherwise. */
  async answer(user?: Credentials): Promise<string> {
    return await this.ask((client) => client.set('probe', 'written'), user);
  }

  /** Sends something on a connection of its own that does not wait until Redis is ready. @returns the answer or the error */
  async ask(question: (client: Redis) => Promise<unknown>, user?: Credentials): Promise<string> {
    const client = new Redis({
      port: this.port,
      enableReadyCheck: false,
      lazyConnect: true,
      retryStrategy: () => null,
      ...user,
    });
    let trouble = '';
    client.on('error', (error: Error) => (trouble = error.message));
    try {
      await client.connect();
      return String(await question(client));
    } catch (error) {
      return `${trouble} ${String(error)}`;
    } finally {
      client.disconnect();
    }
  }

  /** Waits until whoever writes is told so. */
  async untilTold(sign: RegExp, user?: Credentials): Promise<void> {
    await until(`Redis tells ${String(sign)}`, async () => sign.test(await this.answer(user)));
  }

  async close(): Promise<void> {
    this.admin.disconnect();
    await this.wire.close();
    await this.redis.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}
