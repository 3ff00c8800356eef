/** What a tick worker is told at its start, as JSON in `TICK_WORKER`. */
export interface WorkerSettings {
  readonly redis: string;
  readonly prefix: string;
  readonly appName: string;
  readonly lockWatchdogTimeout: number;
  readonly jobs: readonly JobKind[];
  /** Of the cron jobs. */
  readonly cron: string;
  readonly grace: number | undefined;
  /** Of the interval job and before the timeouts, in ms. */
  readonly period: number;
  readonly minInterval: number | undefined;
  readonly maxHold: number | undefined;
  /** How long a run works, in ms; `Infinity` hangs until it is told to end, or its signal aborts. */
  readonly work: number | 'hang';
}

/** `counted`: a plain cron job, key `counted`. The others are described at their classes. */
export type JobKind =
  'counted' | 'other' | 'failing' | 'route' | 'on-init' | 'slow-start' | 'interval' | 'caller' | 'timeout';

/** What a worker reports. */
export type WorkerMessage =
  | { readonly kind: 'ready'; readonly url: string | undefined }
  | { readonly kind: 'started'; readonly job: string; readonly tick?: number; readonly token?: string }
  | { readonly kind: 'ended'; readonly job: string; readonly tick?: number; readonly aborted: boolean }
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
  /** Timers in the wheel. */
  | { readonly do: 'count-timers' }
  | { readonly do: 'close' };
