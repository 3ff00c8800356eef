import { now } from '../timing/monotonic.clock.js';
import type { NodePort } from '../client-port/client.port.js';
import type { NodeKey } from '../client-port/cluster.map.js';
import { isReplica } from '../client-port/server.role.js';
import { NOT_REPLICATED, RedisFailure } from '../redis/redis.failure.js';
import { machine } from '../timing/machine.js';

/** Which replicas have to acknowledge a grant. */
export interface Replication {
  /** How many replicas; `majority`: with the master they are more than half of all copies. */
  readonly acks: number | 'majority';
  /** How long the acknowledgements may take, in ms. */
  readonly timeout: number;
}

/** The connection to one server. */
export interface NodeConnection extends Pick<
  NodePort,
  'status' | 'connect' | 'evalsha' | 'eval' | 'info' | 'wait' | 'asking'
> {
  on(event: 'ready' | 'end', listener: () => void): unknown;
}

/** Is notified when an answer of a server is due, and when it arrives: see StallGuard. */
export interface AnswerWatch {
  expect(): void;
  progress(): void;
}

/** The interval at which the replicas of a master in use are counted, in ms: some may have come since the connection was made. */
const COUNT_INTERVAL = 10_000;

/** Pause before the next request after no answer, in ms. */
const RECOUNT_INTERVAL = 1000;

/** The number of replicas that have to acknowledge, for all masters. */
export class ReplicaAcks {
  readonly #nodes = new Map<NodeKey, NodeAcks>();
  readonly #seen = new Map<NodeKey, number>();
  #hasWarned = false;

  constructor(
    readonly option: Replication,
    /** Called once with the reason, when there are no replicas to wait for. */
    private readonly warn: (why: string) => void,
  ) {}

  of(key: NodeKey, node: NodeConnection, guard: AnswerWatch): NodeAcks {
    const known = this.#nodes.get(key);
    if (known?.node === node) return known;
    const acks = new NodeAcks(this, key, node, guard);
    this.#nodes.set(key, acks);
    return acks;
  }

  /**
   * How many replicas of a master have to acknowledge; 0 if no master was ever seen with a replica. A replica that has gone since is
   * still counted: otherwise the locks would be at their weakest just when a server has failed.
   */
  needed(key: NodeKey): number {
    if (this.#seen.size === 0) return 0;
    if (this.option.acks !== 'majority') return this.option.acks;
    // A replica that has just become a master may have no replicas yet; its cluster is known to have some all the same.
    const replicas = this.#seen.get(key) ?? 1;
    return Math.floor((replicas + 1) / 2);
  }

  /** @internal A master has reported how many replicas it has. */
  saw(key: NodeKey, replicas: number): void {
    if (replicas > 0) this.#seen.set(key, Math.max(replicas, this.#seen.get(key) ?? 0));
  }

  /** @internal Warns once all known masters have answered. */
  onCounted(): void {
    const nodes = [...this.#nodes.values()];
    if (this.#hasWarned || !nodes.every(({ isCounted: hasLooked }) => hasLooked)) return;
    const why = nodes.find(({ refusal }) => refusal !== undefined)?.refusal;
    if (why === undefined && this.#seen.size > 0) return;
    this.#hasWarned = true;
    this.warn(why ?? 'no replica is connected');
  }
}

/**
 * Sends a `WAIT` behind scripts that grant something, on the same connection and in the same write. A `WAIT` blocks
 * that connection, so there is one at a time: scripts that arrive meanwhile are held back, go together, and share the next one.
 */
export class NodeAcks {
  /** Why no acknowledgement is waited for, although there may be replicas. */
  refusal: string | undefined;
  isCounted = false;
  #counted!: Promise<void>;
  #resolveCheck!: () => void;
  #countedAt = -Infinity;
  #underWay: Promise<unknown> | undefined;
  #next: Promise<RedisFailure | undefined> | undefined;

  constructor(
    private readonly acks: ReplicaAcks,
    private readonly key: NodeKey,
    readonly node: NodeConnection,
    private readonly guard: AnswerWatch,
  ) {
    this.#expectCount();
    node.on('ready', () => void this.#countReplicas());
    node.on('end', () => this.#ended());
    if (node.status === 'ready') void this.#countReplicas();
  }

  /** Resolves when a script may be sent, the next `WAIT` being the script's own; or when the connection has ended. */
  async untilSendable(): Promise<void> {
    if (this.node.status === 'end') return;
    if (this.node.status === 'wait') void this.node.connect().catch(() => undefined);
    else if (now() - this.#countedAt > (this.isCounted ? COUNT_INTERVAL : RECOUNT_INTERVAL))
      void this.#countReplicas();
    await this.#counted;
    while (this.#underWay !== undefined) await this.#underWay;
  }

  /**
   * Requests the acknowledgement of the scripts that were sent in this turn of the event loop. To be called in it, after them.
   * @returns why the grants of these scripts must not count; undefined when they count
   */
  join(): Promise<RedisFailure | undefined> {
    this.#next ??= new Promise((resolve) => machine.own.nextTick(() => resolve(this.#wait())));
    return this.#next;
  }

  #expectCount(): void {
    this.#counted = new Promise((resolve) => {
      this.#resolveCheck = resolve;
    });
  }

  /** What waits for this connection has to go on: a cluster has another one by then. If it is made again, its replicas are counted first. */
  #ended(): void {
    this.#resolveCheck();
    if (!this.isCounted) this.#expectCount();
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

  /** The scripts have run, or may have, whatever the `WAIT` failed with: so the failure must not say that they were not sent. */
  #unanswered({ kind, message }: RedisFailure): RedisFailure {
    if (kind !== 'refused') return new RedisFailure('ambiguous', message);
    // The permission may have been revoked meanwhile.
    void this.#countReplicas();
    return new RedisFailure('ambiguous', `WAIT was refused: ${message}`, { code: NOT_REPLICATED });
  }

  async #countReplicas(): Promise<void> {
    this.#countedAt = now();
    // Scripts wait for this answer, so there may be no other command by which the guard could notice a stall.
    this.guard.expect();
    try {
      const info = String(await this.node.info('replication'));
      // A replica refuses WAIT, and scripts as well: its own replicas are counted once it is a master.
      this.isCounted = !isReplica(info);
      if (this.isCounted) {
        this.acks.saw(this.key, info.match(/^slave\d+:.*state=online/gm)?.length ?? 0);
        // Zero acknowledgements are there at once: the answer shows whether WAIT is known, and allowed.
        await this.node.wait(0, 1);
      }
      this.refusal = undefined;
    } catch (error) {
      const failure = RedisFailure.from(error);
      // Without an answer the next connection is tried, or the next turn.
      if (failure.isTransient) return;
      this.isCounted = true;
      this.refusal = failure.message;
    } finally {
      this.guard.progress();
    }
    this.#resolveCheck();
    this.acks.onCounted();
  }
}

function tooFew(reached: number, needed: number, timeout: number): RedisFailure {
  const message = `${reached} of ${needed} required replicas acknowledged it within ${timeout} ms`;
  return new RedisFailure('ambiguous', message, { code: NOT_REPLICATED });
}
