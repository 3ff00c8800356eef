import { Redis } from 'ioredis';
import type { TickRecord } from '../../libs/distributed-lock/src/contracts/tick.contract.js';
import { Services, uniquePrefix } from '../support/services.js';
import { until } from '../support/until.js';
import type { WorkerSettings } from '../workers/worker.protocol.js';
import { cronOf, secondAfter } from './tick.schedule.js';
import { TickWorker, type ClockFaults } from './tick.worker.js';

/** How long before its first tick a schedule is set, in ms: longer where it came too late. */
const LEADS = [1500, 10_000];

/** What a worker may be given beside the defaults. */
export interface WorkerOptions extends Partial<Omit<WorkerSettings, 'redis' | 'prefix'>>, ClockFaults {}

/** What an instance runs if nothing else is said. */
const COUNTED = ['counted'] as const;

/** Methods of the workers that are no job in Redis. */
const WITHOUT_TICKS: ReadonlySet<string> = new Set(['caller', 'timeout', 'dated', 'slow-start']);

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
    private readonly redis: WorkerSettings['redis'],
    private readonly direct = redis,
  ) {
    this.admin = typeof direct === 'string' ? new Redis(direct) : new Redis(direct);
    // A server that is killed on purpose is no news.
    this.admin.on('error', () => undefined);
  }

  /** Starts instances, all at once; Redis knows their jobs then. */
  async start(...instances: readonly WorkerOptions[]): Promise<TickWorker[]> {
    const started = this.launch(...instances);
    await Promise.all(started.map((worker) => worker.ready()));
    await this.#registered(instances.flatMap(({ jobs = COUNTED }) => jobs));
    return started;
  }

  /** Gets processes ready which start as instances, at once, when the function that it gives is called. */
  async prepare(count: number): Promise<(instance: Omit<WorkerOptions, 'early'>) => Promise<void>> {
    const prepared = Array.from({ length: count }, () => new TickWorker());
    this.workers.push(...prepared);
    await Promise.all(prepared.map((worker) => worker.first('loaded', () => true, 20_000)));
    return async ({ shift = 0, ...settings }) => {
      await Promise.all(prepared.map((worker) => worker.begin(this.#settings(settings), shift)));
    };
  }

  /** Starts instances, and does not wait for them. */
  launch(...instances: readonly WorkerOptions[]): TickWorker[] {
    const started = instances.map(
      ({ shift = 0, early = 0, ...settings }) => new TickWorker(this.#settings(settings), { shift, early }),
    );
    this.workers.push(...started);
    return started;
  }

  async startOne(instance: WorkerOptions = {}): Promise<TickWorker> {
    const [worker] = await this.start(instance);
    if (worker === undefined) throw new Error('unreachable');
    return worker;
  }

  /**
   * Gives the counted job of all instances a schedule that begins in a moment.
   * @param distances of its ticks from the first one, in ms, below a minute
   * @returns its ticks
   */
  async schedule(...distances: readonly number[]): Promise<number[]> {
    for (const lead of LEADS) {
      const first = secondAfter(await this.storeNow(), lead);
      const ticks = distances.map((distance) => first + distance);
      const command = { do: 'set-time', cron: cronOf(...ticks) } as const;
      await Promise.all(this.workers.map((worker) => worker.ask(command)));
      if ((await this.storeNow()) < first) return ticks;
    }
    throw new Error('the instances never had their schedule in time');
  }

  /** Where the test itself finds Redis. */
  get source(): WorkerSettings['redis'] {
    return this.direct;
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

  /** The verdicts in the record of a job, newest first: read without a script, so that a test may count those of the instances. */
  async verdicts(job: string): Promise<TickRecord[]> {
    const rows = await this.admin.lrange(`{${this.prefix}${job}}:runs`, 0, -1);
    return rows.map((row) => JSON.parse(row) as TickRecord);
  }

  /** The newest tick of a job that has its verdict; undefined for a job that is not known. */
  async markOf(job: string): Promise<number | undefined> {
    const mark = await this.admin.hget(`{${this.prefix}${job}}:tick`, 'mark');
    return mark === null ? undefined : Number(mark);
  }

  /** The store's clock, epoch ms. */
  async storeNow(): Promise<number> {
    const [seconds, micros] = await this.admin.time();
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  }

  /** Scripts that Redis has run so far, whoever asked. */
  async scriptCalls(): Promise<number> {
    const info = await this.admin.info('commandstats');
    return Number(/cmdstat_evalsha:calls=(\d+)/.exec(info)?.[1] ?? 0);
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

  /** An instance is ready before its registration is answered, and ticks before the first registration of a job are never run. */
  async #registered(methods: readonly string[]): Promise<void> {
    const jobs = methods.filter((method) => !WITHOUT_TICKS.has(method));
    await until(`${jobs.join(', ')} are registered`, async () => {
      const marks = await Promise.all(jobs.map((job) => this.markOf(job)));
      return marks.every((mark) => mark !== undefined);
    });
  }

  /** Fails if a run of the counted job, on whichever way it came about, was not a call of the whole method. */
  async end(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.kill()));
    this.admin.disconnect();
    const bare = this.workers.flatMap((worker) => worker.of('started')).filter(({ isBare }) => isBare);
    if (bare.length > 0)
      throw new Error(`without the decorator above the guard ran: ${JSON.stringify(bare.slice(0, 5))}`);
  }

  #settings(settings: Partial<WorkerSettings>): WorkerSettings {
    return {
      redis: this.redis,
      prefix: this.prefix,
      appName: 'ticks',
      lockWatchdogTimeout: 2000,
      jobs: COUNTED,
      cron: '* * * * * *',
      timeZone: undefined,
      grace: undefined,
      catchUp: undefined,
      onCrash: 'skip',
      maxAttempts: undefined,
      overlap: 'skip',
      period: 1000,
      minInterval: undefined,
      splay: undefined,
      maxHold: undefined,
      heartbeat: undefined,
      work: 5,
      journal: undefined,
      ...settings,
    };
  }
}
