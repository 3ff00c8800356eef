import { join } from 'node:path';
import type { ChaosSettings } from '../workers/chaos/chaos.protocol.js';
import type { ChaosGround, ChaosPlan, LockSort } from './chaos.types.js';
import { ChaosWorkerProcess } from './chaos.worker.process.js';
import { readLines, type RunnerEvent, type Told } from './history.js';
import type { OutsideRegister } from './outside.register.js';

/** Beside this file once it is built; built from the sources by `npm run build`. */
const BUILT = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/test/workers/chaos/' : '../workers/chaos/',
  import.meta.url,
);
export const SORTS: readonly LockSort[] = [
  'reentrant',
  'nonReentrant',
  'fair',
  'fenced',
  'fenced',
  'spin',
  'read',
  'read',
  'write',
  'multi',
  'permit',
  'semaphore',
];
const LEASES = [1000, 2000, 5000, 30_000];
/** Two of them longer than 3 s, the lease of a gift: waiters of a fair lock with one of these take gifts, and are handed it by releases of their process. */
const WATCHDOGS = [1000, 1500, 3200, 3600];

/** What the crew of a run shares. */
export interface CrewParts<G extends ChaosGround> {
  readonly plan: ChaosPlan<G>;
  /** Where histories go. */
  readonly folder: string;
  readonly registers: string;
  readonly outside: OutsideRegister;
  write(event: RunnerEvent): void;
}

/** The workers of a run. */
export class ChaosCrew<G extends ChaosGround> {
  readonly prefix: string;
  readonly workers: readonly ChaosWorkerProcess[];
  readonly #histories: { readonly worker: number; readonly life: number; readonly path: string }[] = [];

  constructor(private readonly parts: CrewParts<G>) {
    const { plan, write, outside } = parts;
    this.prefix = `chaos-${process.pid}-${Date.now().toString(36)}:`;
    this.workers = Array.from(
      { length: plan.workers ?? 4 },
      (_, index) =>
        new ChaosWorkerProcess(index, {
          settings: (worker, life) => this.#settings(worker, life),
          env: (worker) => plan.ground.envOf?.(worker) ?? {},
          signalled: (worker, life, what) => write({ kind: 'signal', worker, life, what }),
          outside: (request) => outside.handle(request),
          build: plan.build ?? BUILT,
        }),
    );
  }

  /** Every name that is locked. */
  get locks(): string[] {
    const names = new Set(
      this.#sorts.filter((sort) => sort !== 'semaphore' && sort !== 'red').map(nameOfSort),
    );
    return [...names].flatMap((name) =>
      Array.from({ length: this.#names }, (_, number) => `${name}-${number}`),
    );
  }

  async start(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.start()));
  }

  /** Nobody begins anything new; resolves when all is released. */
  async finish(): Promise<void> {
    for (const worker of this.workers) worker.resume();
    await Promise.all(this.workers.map((worker) => worker.finish(60_000)));
  }

  /**
   * Takes each lock once: what dead workers had is free when their leases are over.
   * @param step how far the store's clock went back in the run, in ms: so much longer may a lease last
   * @returns what could not be had
   */
  async probe(step: number): Promise<readonly string[]> {
    const longest = Math.max(...this.#leases, ...WATCHDOGS);
    return (await this.workers[0]?.probe(longest + step + 8000)) ?? [];
  }

  /** @returns the processes that did not end by themselves */
  async leave(): Promise<string[]> {
    const left = await Promise.all(
      this.workers.map(async (worker) =>
        (await worker.leave()) ? [] : [`worker ${worker.index}: ${worker.printed}`],
      ),
    );
    return left.flat();
  }

  async end(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.end()));
  }

  /** What all workers have written, in its order. */
  async histories(): Promise<Told[]> {
    const read = await Promise.all(
      this.#histories.map(async ({ worker, life, path }) =>
        (await readLines(path)).map((line) => ({ ...(line as Told), worker, life })),
      ),
    );
    return read.flat().toSorted((one, other) => one.at - other.at);
  }

  get #sorts(): readonly LockSort[] {
    return this.parts.plan.sorts ?? SORTS;
  }

  get #names(): number {
    return this.parts.plan.names ?? 2;
  }

  get #leases(): readonly number[] {
    return this.parts.plan.leases ?? LEASES;
  }

  #settings(worker: number, life: number): ChaosSettings {
    const { plan, folder, registers } = this.parts;
    const path = join(folder, `worker-${worker}-${life}.jsonl`);
    this.#histories.push({ worker, life, path });
    return {
      way: plan.ground.wayOf(worker),
      mode: plan.mode,
      prefix: this.prefix,
      seed: plan.seed,
      worker,
      life,
      callers: plan.callers ?? 6,
      sorts: this.#sorts,
      names: this.#names,
      leases: this.#leases,
      watchdog: WATCHDOGS[worker % WATCHDOGS.length] ?? 1000,
      commandTimeout: 500,
      redServers: plan.redServers ?? [],
      registers,
      history: path,
    };
  }
}

function nameOfSort(sort: LockSort): string {
  if (sort === 'read' || sort === 'write') return 'rw';
  return sort === 'multi' ? 'reentrant' : sort;
}
