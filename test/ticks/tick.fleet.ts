import { Redis } from 'ioredis';
import type { TickRecord } from '../../libs/distributed-lock/src/contracts/tick.contract.js';
import { Services, uniquePrefix } from '../support/services.js';
import { until } from '../support/until.js';
import type { WorkerSettings } from '../workers/worker.protocol.js';
import { TickWorker } from './tick.worker.js';

/** What a worker may be given beside the defaults. */
export interface WorkerOptions extends Partial<Omit<WorkerSettings, 'redis' | 'prefix'>> {
  /** How far its wall clock is ahead of the machine's, in ms. */
  readonly shift?: number;
}

/** Instances of one application on one Redis. */
export class TickFleet {
  readonly prefix = uniquePrefix();
  readonly workers: TickWorker[] = [];
  readonly admin: Redis;

  /**
   * @param redis what the instances are told
   * @param direct what the test itself goes by
   */
  constructor(
    private readonly redis: string,
    private readonly direct = redis,
  ) {
    this.admin = new Redis(direct);
  }

  /** Starts instances, all at once. */
  async start(...instances: readonly WorkerOptions[]): Promise<TickWorker[]> {
    const started = instances.map(
      ({ shift = 0, ...settings }) => new TickWorker(this.#settings(settings), shift),
    );
    this.workers.push(...started);
    await Promise.all(started.map((worker) => worker.ready()));
    return started;
  }

  async startOne(instance: WorkerOptions = {}): Promise<TickWorker> {
    const [worker] = await this.start(instance);
    if (worker === undefined) throw new Error('unreachable');
    return worker;
  }

  /** The record of a job, newest first, as any instance reads it. */
  async runs(job: string): Promise<TickRecord[]> {
    const services = new Services(this.direct);
    try {
      const locks = await services.open({ namePrefix: this.prefix });
      return await locks.getRuns(job);
    } finally {
      await services.close();
    }
  }

  /** The store's clock, epoch ms. */
  async storeNow(): Promise<number> {
    const [seconds, micros] = await this.admin.time();
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  }

  /** Waits until the store's clock has reached `at`. */
  async reach(at: number): Promise<void> {
    const left = at - (await this.storeNow());
    await until(
      `the store's clock reaches ${at}`,
      async () => (await this.storeNow()) >= at,
      Math.max(left, 0) + 5000,
    );
  }

  /** Runs as the workers told of them, oldest first. */
  started(job: string): { readonly tick: number | undefined; readonly worker: number }[] {
    return this.workers
      .flatMap((worker, index) =>
        worker
          .of('started')
          .filter((message) => message.job === job)
          .map(({ tick }) => ({ tick, worker: index })),
      )
      .toSorted((one, other) => (one.tick ?? 0) - (other.tick ?? 0));
  }

  get errors(): string[] {
    return this.workers.flatMap((worker) => worker.errors);
  }

  async end(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.kill()));
    this.admin.disconnect();
  }

  #settings(settings: Partial<WorkerSettings>): WorkerSettings {
    return {
      redis: this.redis,
      prefix: this.prefix,
      appName: 'ticks',
      lockWatchdogTimeout: 2000,
      jobs: ['counted'],
      cron: '* * * * * *',
      grace: undefined,
      period: 1000,
      minInterval: undefined,
      maxHold: undefined,
      work: 5,
      ...settings,
    };
  }
}
