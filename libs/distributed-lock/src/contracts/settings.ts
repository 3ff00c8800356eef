/** The module's options after validation: every duration in ms, every default filled in. */
export interface LockSettings {
  readonly watchdogTimeout: number;
  /** How long a server of red locks that has started is not counted, in ms. */
  readonly redLockRestartDelay: number;
  /** The wait that a waiter without a limit declares in the queue of a fair lock, in ms. */
  readonly fairWaitTimeout: number;
  readonly waitTime: {
    readonly lock: number;
    readonly tryLock: number;
    readonly using: number;
    readonly decorator: number;
    readonly interceptor: number;
  };
  readonly mapName: (name: string) => string;
  /** Whether the application supplies a `nameMapper`. Its result for a name may change. */
  readonly isMapped: boolean;
  /** Empty if the application supplies a `nameMapper`. */
  readonly namePrefix: string;
  readonly appName: string;
  /** Infinity when off. */
  readonly maxHold: number;
  readonly tickMaxHold: number;
  /** Infinity when off. */
  readonly warnAfter: number;
  /** If `warnAfter` is not set: after how long a wait behind a hold taken by `lock()` is logged; Infinity when off. */
  readonly selfWaitAfter: number;
  readonly maxWaiters: number;
  readonly handOver: { readonly max: number; readonly time: number };
  readonly commandTimeout: number;
  /** Undefined when grants do not wait for replicas. */
  readonly replication: { readonly acks: number | 'majority'; readonly timeout: number } | undefined;
  readonly pubsub: 'auto' | 'sharded' | 'classic';
  readonly serverCheck: boolean;
  readonly instanceInfo: boolean;
  readonly shutdownTimeout: number;
  readonly busyStatus: number;
  /** Seconds, as the header has it. */
  readonly retryAfter: number;
}
