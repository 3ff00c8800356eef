import type { ChaosMode, LockSort, RedisWay } from '../../chaos/chaos.types.js';

/** What a chaos worker is told at its start, as JSON in `CHAOS_WORKER`. Durations in ms. */
export interface ChaosSettings {
  readonly way: RedisWay;
  readonly mode: ChaosMode;
  readonly prefix: string;
  readonly seed: number;
  readonly worker: number;
  readonly life: number;
  readonly callers: number;
  readonly sorts: readonly LockSort[];
  /** Locks of each sort. */
  readonly names: number;
  /** Fixed leases. */
  readonly leases: readonly number[];
  readonly watchdog: number;
  readonly commandTimeout: number;
  readonly redServers: readonly string[];
  /** A Redis that no fault touches. */
  readonly registers: string;
  /** Where its history goes. */
  readonly history: string;
}

/** A request to the register outside of Redis, in the parent process. */
export interface OutsideRequest {
  readonly id: number;
  readonly lock: string;
  /** Decimal; without one nothing is checked. */
  readonly token?: string | undefined;
  /** Absent for a read. */
  readonly value?: number | undefined;
}

/** `value`: what is there now; undefined: refused, a newer token has been there. */
export interface OutsideReply {
  readonly id: number;
  readonly value: number | undefined;
}

/** What a worker tells its parent. */
export type ChaosMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'outside'; readonly request: OutsideRequest }
  /** Its callers have ended, and what they had is released. */
  | { readonly kind: 'idle' }
  /** The locks that could not be had. */
  | { readonly kind: 'probed'; readonly stuck: readonly string[] };

/** What the parent tells a worker. */
export type ChaosCommand =
  | { readonly do: 'outside'; readonly reply: OutsideReply }
  | { readonly do: 'block'; readonly ms: number }
  /** No caller begins anything new; told by `idle`. */
  | { readonly do: 'finish' }
  /** Takes each lock once, within so many ms; told by `probed`. */
  | { readonly do: 'probe'; readonly within: number }
  /** Shuts down, and lets the process end by itself. */
  | { readonly do: 'leave' };
