import type { LockModuleSettings } from '../../libs/distributed-lock/src/contracts/module.options.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import type { RunningRedis } from '../../tools/redis/redis.types.js';
import { Services } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { isDeclared } from '../support/declared.keys.js';

/** How long replicas may take, in ms. */
export const TIMEOUT = scaled(150);

/** A master and its replicas. */
export class ReplicaStage {
  #paused = false;

  private constructor(
    readonly master: RunningRedis,
    readonly replicas: RunningRedis[],
  ) {}

  static async start(replicas = 2): Promise<ReplicaStage> {
    const master = await startRedis({ args: ['--repl-diskless-sync-delay', '0'] });
    const stage = new ReplicaStage(master, []);
    await Promise.all(Array.from({ length: replicas }, () => stage.follow()));
    return stage;
  }

  /** One more replica. */
  async follow(): Promise<void> {
    this.replicas.push(await startRedis({ args: ['--replicaof', '127.0.0.1', `${this.master.port}`] }));
  }

  services(): Services {
    return new Services(this.master.url);
  }

  /** Waits until all of them acknowledge what is written, which one that has just come does after a second. */
  async complete({ admin }: Services): Promise<void> {
    const count = this.replicas.length;
    await until('the replicas follow', async () => {
      await admin.set('complete', 'yes');
      return (await admin.wait(count, 100)) === count;
    });
  }

  async pause(): Promise<void> {
    this.#paused = true;
    await Promise.all(this.replicas.map((replica) => replica.pause()));
  }

  async resume(): Promise<void> {
    if (!this.#paused) return;
    this.#paused = false;
    await Promise.all(this.replicas.map((replica) => replica.resume()));
  }

  async stop(): Promise<void> {
    await Promise.all([this.master, ...this.replicas].map((server) => server.kill()));
  }
}

/** A service whose grants wait for replicas. */
export function openAcked(
  services: Services,
  options: LockModuleSettings = {},
  acks: number | 'majority' = 1,
): Promise<LockService> {
  const replication = { acks, timeout: TIMEOUT };
  return services.open({ replication, commandTimeout: 4 * TIMEOUT, ...options });
}

/** What Redis has of the locks; declared records stay. */
export async function nothingLeft(services: Services): Promise<void> {
  await until('nothing is left in Redis', async () => (await services.keys()).every(isRecord));
}

/** The tokens and ticks that outlive their lock. */
function isRecord(key: string): boolean {
  return key.includes('redisson_lock_token') || isDeclared(key);
}
