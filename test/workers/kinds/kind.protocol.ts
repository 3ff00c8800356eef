/** What a kind worker is told at its start, as JSON in `KIND_WORKER`. Durations in ms. */
export interface KindSettings {
  readonly redis: string;
  readonly prefix: string;
  readonly lockWatchdogTimeout: number;
}

/** A kind of lock, as the worker's commands name it; of a semaphore one permit. */
export type TakenKind = 'reentrant' | 'fair' | 'fenced' | 'read' | 'write' | 'permit' | 'semaphore';

/** A hold: when it was granted and when it was given up, in µs of the machine's monotonic clock; its fencing token. */
export interface Section {
  readonly begin: number;
  readonly end: number;
  readonly token?: string | undefined;
}

/** What a worker is asked to do, under a number of the test's. */
export type KindCommand =
  /** Waits for a lock, and holds it for `holdFor` ms or until it is told to unlock; told by `granted` and `ended`. */
  | {
      readonly do: 'take';
      readonly id: number;
      readonly kind: TakenKind;
      readonly name: string;
      readonly holdFor?: number;
      readonly leaseTime?: number;
    }
  | { readonly do: 'unlock'; readonly id: number }
  /** `callers` take a lock again and again for `ms`, and hold it for `holdFor` ms each time; told by `streamed`. */
  | {
      readonly do: 'stream';
      readonly id: number;
      readonly kind: TakenKind;
      readonly name: string;
      readonly callers: number;
      readonly holdFor: number;
      readonly ms: number;
    };

/** What a worker reports. Instants are in µs of the machine's monotonic clock. */
export type KindMessage =
  | { readonly kind: 'ready' }
  /** `late`: how late the worker was by itself while it waited, in ms. */
  | {
      readonly kind: 'granted';
      readonly id: number;
      readonly holder: string;
      readonly at: number;
      readonly late: number;
    }
  /** `how`: the outcome of the unlock, or the code of the error that came instead of a grant. */
  | { readonly kind: 'ended'; readonly id: number; readonly how: string; readonly at: number }
  | { readonly kind: 'streamed'; readonly id: number; readonly sections: readonly Section[] };
