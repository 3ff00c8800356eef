import { FaultStage } from '../support/faults/fault.stage.js';
import { until } from '../support/until.js';
import type { KindSettings } from '../workers/kinds/kind.protocol.js';
import { KindWorker } from './kind.worker.js';

/** What clients sent: what scripts call inside of them is counted by Redis, too, and left out. */
const SENT_BY_CLIENTS = /^cmdstat_(evalsha|eval|subscribe|unsubscribe|ping):calls=(\d+)/gm;

/** A Redis, services and processes on it that take locks of any kind; in the end nothing may be left of any of them. */
export class KindStage {
  readonly #workers: KindWorker[] = [];

  private constructor(readonly faults: FaultStage) {}

  /** Plays on the Redis that all tests share, or on a Redis of its own. */
  static async play(where: 'shared' | 'own', act: (stage: KindStage) => Promise<void>): Promise<void> {
    const stage = new KindStage(where === 'own' ? await FaultStage.own() : FaultStage.shared());
    try {
      await act(stage);
      await stage.#expectNothingLeft();
    } finally {
      await stage.close();
    }
  }

  async fork(options: Partial<Pick<KindSettings, 'lockWatchdogTimeout'>> = {}): Promise<KindWorker> {
    const { url, services } = this.faults;
    const settings = { redis: url, prefix: services.prefix, lockWatchdogTimeout: 30_000, ...options };
    const worker = await KindWorker.start(settings);
    this.#workers.push(worker);
    return worker;
  }

  /** The name in Redis of what stands beside a lock: its queue, its times. */
  beside(prefix: string, name: string): string {
    return `${prefix}:{${this.faults.key(name)}}`;
  }

  /** The waiting holders of a fair lock, the next one first. */
  async queue(name: string): Promise<string[]> {
    return await this.faults.admin.lrange(this.beside('redisson_lock_queue', name), 0, -1);
  }

  async queued(name: string, length: number): Promise<void> {
    await until(
      `${length} stand in the queue of ${name}`,
      async () => (await this.queue(name)).length === length,
    );
  }

  /** How often clients sent a command, by its name; on a Redis of its own only. */
  async sent(): Promise<Map<string, number>> {
    const stats = await this.faults.admin.info('commandstats');
    return new Map([...stats.matchAll(SENT_BY_CLIENTS)].map(([, name = '', calls]) => [name, Number(calls)]));
  }

  /** Ends the processes, and what killed ones have left. */
  async #expectNothingLeft(): Promise<void> {
    const { admin, services } = this.faults;
    await Promise.all(this.#workers.map((worker) => worker.kill()));
    // The fencing token of a name outlives its locks, so that it rises for ever.
    for (const key of await services.keys()) if (key.startsWith('redisson_lock_token:')) await admin.del(key);
    await this.faults.expectNothingLeft();
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.kill()));
    const { admin, services } = this.faults;
    for (const key of await services.keys()) await admin.del(key);
    await this.faults.close();
  }
}
