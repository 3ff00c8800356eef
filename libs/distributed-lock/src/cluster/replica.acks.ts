import { now } from '../timing/monotonic.clock.js';
import type { ClientPort } from '../redis/client.port.js';
import type { NodeKey } from './cluster.map.js';
import { NOT_REPLICATED, RedisFailure } from '../redis/redis.failure.js';

/** Which replicas have to acknowledge a grant. */
export interface Replication {
  /** How many; `majority`: with the master they are more than half of all copies. */
  readonly acks: number | 'majority';
  /** How long they may take, in ms. */
  readonly timeout: number;
}

/** The connection to one server. */
export interface NodePort extends Pick<ClientPort, 'status' | 'connect' | 'evalsha' | 'eval' | 'info'> {
  wait(replicas: number, timeout: number): Promise<unknown>;
  asking(): Promise<unknown>;
  on(event: 'ready', listener: () => void): unknown;
}

/** Is told of what a server has to answer: see StallGuard. */
export interface Guard {
  expect(): void;
  progress(): void;
}

/** How often a master in use is asked for its replicas, in ms: some may have come since it was connected to. */
const LOOK_EVERY = 10_000;

/** When to ask again after no answer, in ms. */
const LOOK_AGAIN = 1000;

/** What the replicas of all masters have to acknowledge. */
export class ReplicaAcks {
  readonly #nodes = new Map<NodeKey, NodeAcks>();
  readonly #seen = new Map<NodeKey, number>();
  #hasWarned = false;

  constructor(
    readonly option: Replication,
    /** Told once, when there is nothing to wait for, and why. */
    private readonly warn: (why: string) => void,
  ) {}

  of(key: NodeKey, node: NodePort, guard: Guard): NodeAcks {
    const known = this.#nodes.get(key);
    if (known?.node === node) return known;
    const acks = new NodeAcks(this, key, node, guard);
    this.#nodes.set(key, acks);
    return acks;
  }

  /**
   * How many replicas of a master have to acknowledge; 0 where none of any master was ever seen. One that has gone since is
   * still counted: else the locks would be at their weakest just when a server has failed.
   */
  needed(key: NodeKey): number {
    if (this.#seen.size === 0) return 0;
    if (this.option.acks !== 'majority') return this.option.acks;
    // A replica that has just become a master may have none yet; that its cluster has replicas is known all the same.
    const replicas = this.#seen.get(key) ?? 1;
    return Math.floor((replicas + 1) / 2);
  }

  /** @internal A master has told its replicas. */
  saw(key: NodeKey, replicas: number): void {
    if (replicas > 0) this.#seen.set(key, Math.max(replicas, this.#seen.get(key) ?? 0));
  }

  /** @internal Warns once all masters that are known have been asked. */
  looked(): void {
    const nodes = [...this.#nodes.values()];
    if (this.#hasWarned || !nodes.every(({ hasLooked }) => hasLooked)) return;
    const why = nodes.find(({ refusal }) => refusal !== undefined)?.refusal;
    if (why === undefined && this.#seen.size > 0) return;
    this.#hasWarned = true;
    this.warn(why ?? 'no replica is connected');
  }
}

/**
 * Lets scripts that grant something be followed by a `WAIT`, on the connection that they were sent on and in the same write. A `WAIT`
 * blocks that connection, so there is one at a time: what comes meanwhile stands by, goes together, and shares the next one.
 */
export class NodeAcks {
  /** Why there is nothing to wait for, although there may be replicas. */
  refusal: string | undefined;
  hasLooked = false;
  readonly #looked: Promise<void>;
  #resolveCheck: () => void = () => undefined;
  #lookedAt = -Infinity;
  #underWay: Promise<unknown> | undefined;
  #next: Promise<RedisFailure | undefined> | undefined;

  constructor(
    private readonly acks: ReplicaAcks,
    private readonly key: NodeKey,
    readonly node: NodePort,
    private readonly guard: Guard,
  ) {
    this.#looked = new Promise((resolve) => {
      this.#resolveCheck = resolve;
    });
    node.on('ready', () => void this.#look());
    if (node.status === 'ready') void this.#look();
  }

  /** Resolves when a script may be sent: its own `WAIT` is the next one. */
  async turn(): Promise<void> {
    if (this.node.status === 'wait') void this.node.connect().catch(() => undefined);
    else if (now() - this.#lookedAt > (this.hasLooked ? LOOK_EVERY : LOOK_AGAIN)) void this.#look();
    await this.#looked;
    while (this.#underWay !== undefined) await this.#underWay;
  }

  /**
   * Has the scripts acknowledged that were sent in this turn of the event loop. To be called in it, after them.
   * @returns why what they granted must not count; undefined when it does
   */
  join(): Promise<RedisFailure | undefined> {
    this.#next ??= new Promise((resolve) => process.nextTick(() => resolve(this.#wait())));
    return this.#next;
  }

  async #wait(): Promise<RedisFailure | undefined> {
    this.#next = undefined;
    const needed = this.acks.needed(this.key);
    if (needed === 0 || this.refusal !== undefined) return undefined;
    const { timeout } = this.acks.option;
    const verdict = this.node.wait(needed, timeout).then(
      (reached) => (Number(reached) >= needed ? undefined : tooFew(Number(reached), needed, timeout)),
      (error: unknown) => this.#unanswered(RedisFailure.from(error)),
    );
    this.#underWay = verdict;
    this.guard.expect();
    const failure = await verdict;
    this.guard.progress();
    if (this.#underWay === verdict) this.#underWay = undefined;
    return failure;
  }

  /** The scripts have run, or may have: whatever became of the `WAIT`, it was not for nothing that they were sent. */
  #unanswered({ kind, message }: RedisFailure): RedisFailure {
    if (kind !== 'refused') return new RedisFailure('ambiguous', message);
    // Permission may have been taken away meanwhile.
    void this.#look();
    return new RedisFailure('ambiguous', `WAIT was refused: ${message}`, NOT_REPLICATED);
  }

  async #look(): Promise<void> {
    this.#lookedAt = now();
    // Nothing else may be under way on a server that has to be asked first.
    this.guard.expect();
    try {
      const info = String(await this.node.info('replication'));
      // A replica refuses to wait, and scripts as well: what holds for it once it is a master is asked then.
      this.hasLooked = !/^role:slave/m.test(info);
      if (this.hasLooked) {
        this.acks.saw(this.key, info.match(/^slave\d+:.*state=online/gm)?.length ?? 0);
        // Zero acknowledgements are there at once: it tells whether WAIT is known, and allowed.
        await this.node.wait(0, 1);
      }
      this.refusal = undefined;
    } catch (error) {
      const failure = RedisFailure.from(error);
      // Without an answer the next connection is asked, or the next turn.
      if (failure.isTransient) return;
      this.hasLooked = true;
      this.refusal = failure.message;
    } finally {
      this.guard.progress();
    }
    this.#resolveCheck();
    this.acks.looked();
  }
}

function tooFew(reached: number, needed: number, timeout: number): RedisFailure {
  const who = needed === 1 ? 'replica that is' : 'replicas that are';
  const told = `${reached} of the ${needed} ${who} needed acknowledged it within ${timeout} ms`;
  return new RedisFailure('ambiguous', told, NOT_REPLICATED);
}
