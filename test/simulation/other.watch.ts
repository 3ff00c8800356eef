import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import type { Belief, Violation, Wish } from './belief.js';
import type { CallingInstance } from './calling.instance.js';
import { FREE, FREE_QUEUED } from './lock.caller.js';
import type { StoredPermits } from './stored.permits.js';
import type { World } from './world.js';

/** What is stored, as a person with redis-cli reads it. */
export interface StoreReader {
  has(key: string): boolean;
  /** A number; undefined where there is none. */
  count(key: string): number | undefined;
  permits(key: string): StoredPermits;
}

/** What is known of the holders of a run. */
interface HolderWatch {
  readonly violations: readonly Violation[];
  readonly beliefs: ReadonlySet<Belief>;
  /** Whether nothing is known that could have ended it. */
  isCertain(belief: Belief): boolean;
  report(rule: string, what: string): void;
  /** How long what is free, and wanted since `from`, may stay so, in ms. @default the bound */
  boundOf?(wish: Pick<Wish, 'instance' | 'bound' | 'boundOfTwo'>, from: number): number;
}

/** What the store may have lost. */
interface StoreLosses {
  /** Which keys it may have lost, or an older value of which it may have, since the last call; undefined: none. */
  takeLost(): ((key: string) => boolean) | undefined;
  /** Whether some instances use a store of their own now. */
  readonly isSplit?: boolean;
}

/** What a run is on. */
export interface OtherPlace {
  readonly world: World;
  readonly store: StoreReader;
  readonly watch: HolderWatch;
  readonly losses: StoreLosses;
}

/** The rules of something that is called besides single locks. */
export interface OtherWatch {
  /** Called after each event. */
  check(): void;
  /** The store may have lost some keys, before the check of an event. */
  lostData?(isLost: (key: string) => boolean): void;
  /** An instance was shut down, and nothing kept it from releasing what it had. */
  shutDown?(instance: CallingInstance): void;
  /** All callers have ended: what would stay in the store has to be deleted. */
  finish(service: LockService): Promise<void>;
}

/** A caller that waits. */
export interface OtherWish {
  readonly instance: CallingInstance;
  /** In ms. */
  readonly since: number;
}

/**
 * A caller whose process is well has what it waits for soon.
 * @param what is there for it, and since when, in ms; whether processes wait for it in a queue
 */
export function checkWish(
  { world, watch }: OtherPlace,
  { instance, since }: OtherWish,
  what: { readonly name: string; readonly since: number; readonly isQueued?: boolean },
): void {
  // First: it is noted while an instance is away.
  const { calmSince } = instance;
  if (!instance.isRunning || !instance.isConnected) return;
  const from = Math.max(what.since, since, calmSince);
  const waited = world.now - from;
  const bounds = { instance, bound: FREE, boundOfTwo: what.isQueued === true ? FREE_QUEUED : FREE };
  if (waited > (watch.boundOf?.(bounds, from) ?? FREE))
    watch.report('free and wanted', `${what.name} for ${Math.round(waited)} ms while ${instance.name} waits`);
}
