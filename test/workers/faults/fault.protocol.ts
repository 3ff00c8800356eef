/** The options of a fault worker's module, which it is told at its start, as JSON in `FAULT_WORKER`. Durations in ms. */
export interface FaultSettings {
  readonly redis: string;
  readonly namePrefix: string;
  readonly lockWatchdogTimeout: number;
  readonly shutdownTimeout: number;
}

/** What a holder found at its first instruction after it had stood still. */
export interface Sighting {
  /** For how long it had not run. */
  readonly gap: number;
  /** Of a signal that was read before: it had no chance to be aborted yet. */
  readonly wasAborted: boolean;
  readonly isHeld: boolean;
  /** Of the same signal, right after {@link isHeld} was read. */
  readonly isAborted: boolean;
}

/** What a worker is asked to do; each is answered unless it says otherwise. */
export type FaultCommand =
  /** Takes locks, all at once; answers with their holder ids. */
  | { readonly do: 'hold'; readonly names: readonly string[]; readonly leaseTime?: number }
  /** Looks out for a gap longer than `gap`, in a loop that gives nobody else a turn, or by timers; writes `watching` instead of an answer. */
  | { readonly do: 'watch'; readonly name: string; readonly gap: number; readonly by: 'loop' | 'timer' }
  /** Keeps the event loop busy, and answers with what the holder finds then. */
  | { readonly do: 'block'; readonly name: string; readonly ms: number }
  /** Waits for a lock until it is granted or refused; told by `ended`. */
  | { readonly do: 'wait'; readonly name: string }
  /** Runs work under a lock that ends when its signal aborts; told by `ended`. */
  | { readonly do: 'work'; readonly name: string }
  /** Callers that take a lock again and again; answers with their holds, [begin, end] in µs of the machine's monotonic clock. */
  | { readonly do: 'contend'; readonly name: string; readonly callers: number; readonly ms: number }
  /** A run of a job, which lasts `ms` whatever its signal says; told by `ended`. */
  | { readonly do: 'run'; readonly name: string; readonly ms: number }
  /** A candidate for the leadership of a name, which writes down what it believes; told by `elected` and `revoked`. */
  | { readonly do: 'stand'; readonly name: string }
  /** Answers with how late its timers were at worst, in ms. */
  | { readonly do: 'lag' }
  | { readonly do: 'unlock'; readonly name: string }
  | { readonly do: 'is-held'; readonly name: string };

/** What a worker reports. */
export type FaultMessage =
  | { readonly kind: 'ready'; readonly url?: string }
  | { readonly kind: 'answer'; readonly id: number; readonly value?: unknown; readonly error?: string }
  | { readonly kind: 'seen'; readonly sighting: Sighting }
  /** A signal was aborted; epoch ms with fractions. */
  | { readonly kind: 'aborted'; readonly name: string; readonly at: number; readonly code: string }
  | { readonly kind: 'elected'; readonly token: string }
  | { readonly kind: 'revoked'; readonly code: string }
  /** A guarded write was refused for its token. */
  | { readonly kind: 'stale'; readonly token: string }
  | { readonly kind: 'ended'; readonly name: string; readonly how: string }
  /** A request has reached the application. */
  | { readonly kind: 'accepted'; readonly request: string }
  /** What would end a process without these listeners. */
  | { readonly kind: 'trouble'; readonly text: string };
