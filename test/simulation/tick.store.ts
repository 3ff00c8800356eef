import type { TickRecord } from '../../libs/distributed-lock/src/contracts/tick.contract.js';
import { fromBytes } from '../../libs/distributed-lock/src/memory/memory.scripts.js';
import { machine } from '../../libs/distributed-lock/src/timing/machine.js';
import { jobKeys, type JobKeys } from '../../libs/distributed-lock/src/job-control/job.keys.js';
import { SETTINGS } from './simulated.instance.js';
import type { SimulatedProcess } from './simulated.process.js';
import type { World } from './world.js';

/** The row of a run under way: `request` until the run has begun. */
export type RunRow = TickRecord & { readonly request?: string };

/** What the store has of a job at one moment. */
export interface StoredJob {
  readonly fields: ReadonlyMap<string, string>;
  readonly mark: number | undefined;
  readonly queued: number | undefined;
  /** Ticks that wait for another instance. */
  readonly handed: readonly { readonly tick: number }[];
  /** The row of the newest run that is not closed. */
  readonly run: RunRow | undefined;
  readonly holder: string | undefined;
  /** Whether that run still has the lock. */
  readonly isRunning: boolean;
  readonly isLocked: boolean;
  /** The mark when it was paused: -1 for none; undefined while it is not paused. */
  readonly pausedFrom: number | undefined;
  readonly pausedAt: number | undefined;
  readonly request: { readonly id: string; readonly until: number } | undefined;
}

/** Where jobs are stored. */
export interface TickStore {
  /** It has the clock of the store. */
  readonly process: SimulatedProcess;
  has(key: string): boolean;
  hash(key: string): ReadonlyMap<string, string>;
  list(key: string): readonly string[];
}

/** Where failovers may lose the last writes. */
export interface PartLosses {
  takeLost(): ((key: string) => boolean) | undefined;
  readonly isSplit: boolean;
}

/** Reads jobs as a person with redis-cli does. */
export class JobReader {
  readonly #keys = new Map<string, JobKeys>();

  constructor(
    private readonly world: World,
    private readonly store: TickStore,
  ) {}

  /** Epoch ms by the store's clock. */
  get storeNow(): number {
    return this.world.as(this.store.process, () => machine.global.Date.now());
  }

  keysOf(job: string): JobKeys {
    let keys = this.#keys.get(job);
    if (keys === undefined) {
      keys = jobKeys(SETTINGS.mapName(job));
      this.#keys.set(job, keys);
    }
    return keys;
  }

  /** The fields of a job's record, as long as it is one and the same record; undefined where there is none. */
  fieldsOf(job: string): ReadonlyMap<string, string> | undefined {
    const { record } = this.keysOf(job);
    return this.store.has(record) ? this.store.hash(record) : undefined;
  }

  read(job: string): StoredJob | undefined {
    const { lock, record } = this.keysOf(job);
    const fields = this.store.hash(record);
    if (fields.size === 0) return undefined;
    const holders = this.store.hash(lock);
    const holder = textOf(fields.get('holder'));
    const paused = jsonOf<{ at: number; mark?: number }>(fields.get('paused'));
    return {
      fields,
      mark: numberOf(fields.get('mark')),
      queued: numberOf(fields.get('queued')),
      handed: jsonOf<{ tick: number }[]>(fields.get('handed')) ?? [],
      run: jsonOf<RunRow>(fields.get('run')),
      holder,
      isRunning: holder !== undefined && holders.has(holder),
      isLocked: holders.size > 0,
      pausedFrom: paused === undefined ? undefined : (paused.mark ?? -1),
      pausedAt: paused?.at,
      request: jsonOf<{ id: string; until: number }>(fields.get('request')),
    };
  }

  /** The stored rows of a job as JSON, newest first. */
  rows(job: string): readonly string[] {
    const { runs } = this.keysOf(job);
    return this.store.list(runs);
  }
}

/** A row as JSON. */
export function rowOf(text: string): TickRecord {
  return JSON.parse(fromBytes(text)) as TickRecord;
}

function textOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : fromBytes(text);
}

function jsonOf<T>(text: string | undefined): T | undefined {
  return text === undefined ? undefined : (JSON.parse(fromBytes(text)) as T);
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
