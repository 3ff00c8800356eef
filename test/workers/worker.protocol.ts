import type { RedisOptions } from 'ioredis';

/** What ioredis needs to find a master by sentinels. */
export type SentinelAddress = Pick<RedisOptions, 'sentinels' | 'name' | 'failoverDetector'>;

/** What a tick worker is told at its start, as JSON in `TICK_WORKER`. */
export interface WorkerSettings {
  /** A URL, or where sentinels know it. */
  readonly redis: string | SentinelAddress;
  readonly prefix: string;
  readonly appName: string;
  readonly lockWatchdogTimeout: number;
  readonly jobs: readonly JobKind[];
  /** Of the cron jobs. */
  readonly cron: string;
  /** Of the counted job. @default the system's */
  readonly timeZone: string | undefined;
  readonly grace: number | undefined;
  /** Of the counted job, in ms. */
  readonly catchUp: number | undefined;
  /** Of the counted job and of timers. */
  readonly onCrash: 'skip' | 'retry';
  /** Of the counted job under `retry`. @default the library's */
  readonly maxAttempts: number | undefined;
  /** Of the counted job. */
  readonly overlap: 'skip' | 'queue';
  /** Of the interval job and before the timeouts, in ms. */
  readonly period: number;
  readonly minInterval: number | undefined;
  /** Of the counted job, in ms. */
  readonly splay: number | undefined;
  readonly maxHold: number | undefined;
  /** Of the counted job: a URL. */
  readonly heartbeat: string | undefined;
  /**
   * How long a run works, in ms, or between which bounds; `hang`: until it is told to end, or its signal aborts.
   * A run between bounds ends early when its signal aborts.
   */
  readonly work: number | readonly [least: number, most: number] | 'hang';
  /** A file that gets a line for each start and end of a run, written before the run goes on. */
  readonly journal: string | undefined;
}

/** `counted`: a plain cron job, key `counted`. The others are described at their classes. */
export type JobKind =
  | 'counted'
  | 'retried'
  | 'other'
  | 'empty-zone'
  | 'failing'
  | 'route'
  | 'on-init'
  | 'slow-start'
  | 'interval'
  | 'caller'
  | 'timeout'
  | 'dated';

/** Which run a report is about; a direct call has no tick. */
interface RunOfJob {
  readonly job: string;
  readonly tick?: number;
  readonly attempt?: number;
}

/** What a worker reports. */
export type WorkerMessage =
  /** It has no settings yet, and waits for an environment with them. */
  | { readonly kind: 'loaded' }
  | { readonly kind: 'ready'; readonly url: string | undefined }
  /** `isBare`: a run of the counted job without the decorator above its guard. */
  | (RunOfJob & { readonly kind: 'started'; readonly token?: string; readonly isBare?: boolean })
  | (RunOfJob & { readonly kind: 'ended'; readonly aborted: boolean })
  | {
      readonly kind: 'log';
      readonly level: string;
      readonly context: string | undefined;
      readonly text: string;
    }
  | { readonly kind: 'answer'; readonly id: number; readonly value?: unknown; readonly error?: string };

/** What a worker is asked to do; each is answered. */
export type WorkerCommand =
  /** Calls the counted job's method, or the interval's. */
  | { readonly do: 'call'; readonly job: 'counted' | 'interval' }
  /** Keeps the event loop busy. */
  | { readonly do: 'block'; readonly ms: number }
  /** Ends the work that hangs, now and from now on. */
  | { readonly do: 'release' }
  /** Gives the counted job another schedule. */
  | { readonly do: 'set-time'; readonly cron: string }
  /** Stops the counted job's timer. */
  | { readonly do: 'stop-job' }
  /** Takes the counted job's lock by hand, for a while. */
  | { readonly do: 'hold'; readonly ms: number }
  /** Steers the counted job in the whole fleet; the answer is that of `locks.jobs`. */
  | { readonly do: 'pause' | 'resume' | 'run-now' | 'forget' | 'status' }
  /** Timers in the wheel. */
  | { readonly do: 'count-timers' }
  | { readonly do: 'close' };
