/** The topologies that chaos runs on. */
export type Topology = 'standalone' | 'sentinel' | 'cluster';

/** Where a server is, as somebody sees it. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** What an address that servers tell is for somebody who goes through proxies: `127.0.0.1:6380` → the proxy in front of it. */
export type NatMap = Readonly<Record<string, Place>>;

/** A way to Redis, as JSON: a worker is given its own, through its own proxies. */
export type RedisWay =
  | { readonly kind: 'standalone'; readonly url: string }
  | {
      readonly kind: 'sentinel';
      readonly name: string;
      readonly sentinels: readonly Place[];
      readonly natMap?: NatMap;
      readonly failoverDetector?: boolean;
    }
  | { readonly kind: 'cluster'; readonly nodes: readonly Place[]; readonly natMap?: NatMap };

/**
 * `strict`: the store keeps its data and its clock; every invariant holds. `lossy`: it may lose both; holders may then
 * overlap until the loser's next renewal, and what checks the token loses nothing.
 */
export type ChaosMode = 'strict' | 'lossy';

/** A worker process in the hand of a fault. */
export interface ChaosVictim {
  /** Stays the same when a killed process is followed by another. */
  readonly index: number;
  /** Of the process that runs now. */
  readonly pid: number;
  /** Whether there is a process, stopped or not. */
  readonly isAlive: boolean;
  /** SIGSTOP. */
  stop(): void;
  /** SIGCONT. */
  resume(): void;
  /** SIGKILL, also of a stopped one; another process takes its place. Resolves when that one works. */
  kill(): Promise<void>;
  /** Keeps its event loop busy; resolves at once. */
  block(ms: number): void;
}

/** What workers stand on: servers, and the ways to them. Started and closed by whoever calls `runChaos`. */
export interface ChaosGround {
  readonly topology: Topology;
  /** The way that no fault stands in, for the last look; it may change when a master does. */
  readonly direct: RedisWay;
  /** The way of the worker with that index. */
  wayOf(worker: number): RedisWay;
  /** What the process of that worker finds in its environment. */
  envOf?(worker: number): Readonly<Record<string, string>>;
  /** The ports of all servers that are masters now: the last look asks each for keys and channels. */
  masters(): Promise<readonly number[]>;
  /** Repairs what faults have left: proxies let everything pass, servers run. Called after the last fault, before the last look. */
  mend(): Promise<void>;
}

/** What a fault can reach. */
export interface ChaosStage<G extends ChaosGround = ChaosGround> {
  readonly ground: G;
  readonly workers: readonly ChaosVictim[];
  /** The prefix of all lock names in Redis. */
  readonly prefix: string;
  /** Puts a line into the history. */
  note(text: string): void;
}

/** Random numbers by the seed of the run. */
export interface Dice {
  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number;
}

/** Something that goes wrong, and is over when `inject` resolves. */
export interface Fault<G extends ChaosGround = ChaosGround> {
  readonly name: string;
  /** Whether the store may lose data by it, or its clock steps: then the run is judged by the rules of `lossy`. */
  readonly lossy: boolean;
  /** Where it can happen. @default everywhere */
  readonly topologies?: readonly Topology[] | undefined;
  /** @returns what was done, for the history */
  inject(stage: ChaosStage<G>, random: Dice): Promise<string>;
}

/** What workers lock with. */
export type LockSort =
  | 'reentrant'
  | 'nonReentrant'
  | 'fair'
  | 'fenced'
  | 'spin'
  | 'read'
  | 'write'
  | 'multi'
  | 'permit'
  | 'semaphore'
  | 'red';

/** One run. */
export interface ChaosPlan<G extends ChaosGround = ChaosGround> {
  readonly ground: G;
  /** Drawn one at a time, by the seed; those that cannot happen on this topology, or in this mode, are left out. */
  readonly faults: readonly Fault<G>[];
  /** Pause between two faults in ms, at most; drawn by the seed. @default 1500 */
  readonly pause?: number | undefined;
  readonly seconds: number;
  readonly seed: number;
  /** Worker processes. @default 4 */
  readonly workers?: number | undefined;
  /** Callers in each of them. @default 6 */
  readonly callers?: number | undefined;
  readonly mode: ChaosMode;
  /** @default all but `red` */
  readonly sorts?: readonly LockSort[] | undefined;
  /** Fixed leases in ms. @default 1, 2, 5 and 30 s */
  readonly leases?: readonly number[] | undefined;
  /** Locks of each sort. @default 2 */
  readonly names?: number | undefined;
  /** The servers of red locks, as urls. */
  readonly redServers?: readonly string[] | undefined;
  /** Where the built workers stand. @default dist/test/workers/chaos of this repository */
  readonly build?: URL | undefined;
  /** A folder in which the history that Porcupine judges is kept. @default one that is removed when there is nothing to look at */
  readonly histories?: string | undefined;
  /** Gets a line about every 30 s: how far it is. */
  readonly progress?: ((line: string) => void) | undefined;
}
