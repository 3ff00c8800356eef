import { createHash } from 'node:crypto';
import { toBytes } from '../../../libs/distributed-lock/src/memory/memory.scripts.js';
import type { MemoryStore } from '../../../libs/distributed-lock/src/memory/memory.store.js';
import { SimulatedServer } from '../simulated.server.js';
import type { World } from '../world.js';
import { copyBetween, effectsOf } from './script.effects.js';
import { ReplicaLink } from './replica.link.js';
import { ReplyError } from './reply.error.js';

/** What a node remembers of a connection. */
export interface ScriptSession {
  /** Whether the next command may use a slot that is on its way here. */
  isAsking: boolean;
  /** What has to be acknowledged for all that was written on the connection. */
  writtenTo: number;
}

/** How long a replica that is attached takes until it has everything, and acknowledges what comes, in ms. */
const SYNC_TIME = 1000;

/** A server with the roles of a master and a replica: one after the other. */
export class SimulatedNode extends SimulatedServer {
  isMaster = true;
  /** Its answer to a command on keys that are another node's; undefined where there are no slots. */
  redirect: ((keys: readonly string[], session: ScriptSession) => ReplyError | undefined) | undefined;
  /** Its answer to the subscription of a sharded channel that is another node's. */
  refuseChannel: ((channel: string) => ReplyError | undefined) | undefined;
  /** The connections that have sharded channels. */
  readonly sessions = new Set<{ dropChannels(slot: number): void }>();
  /** The bytes of all that it has executed, as a number of executions. */
  #offset = 0;
  /** What of it a replica has executed that was detached. */
  #replicated = 0;
  readonly #replicas = new Set<ReplicaLink>();
  readonly #waiting = new Set<() => void>();
  /** The scripts that it knows by their SHA-1: a node that becomes the master knows none. */
  readonly #scripts = new Set<string>();
  #syncing = 0;

  constructor(
    world: World,
    readonly host: string,
    readonly port = 6379,
  ) {
    super(world, host);
  }

  /** As clients name it. */
  get key(): string {
    return `${this.host}:${this.port}`;
  }

  get offset(): number {
    return this.#offset;
  }

  /** Whether the replica that was detached lacks something. */
  get hasUnreplicated(): boolean {
    return this.#offset > this.#replicated;
  }

  /** Runs a script. */
  execute(how: string, words: readonly string[], session: ScriptSession): unknown {
    const [text = '', count, ...rest] = words;
    const keys = rest.slice(0, Number(count));
    const refusal = this.redirect?.(keys, session);
    session.isAsking = false;
    if (refusal !== undefined) return refusal;
    if (!this.isMaster) return new ReplyError("READONLY You can't write against a read only replica.");
    const sha1 = how === 'eval' ? sha1Of(text) : text;
    if (how === 'eval') this.#scripts.add(sha1);
    else if (!this.#scripts.has(sha1)) return new ReplyError('NOSCRIPT No matching script.');
    const before = this.#namesOf(keys);
    const result = this.store.scripts.answer([sha1, `${count}`, ...rest]);
    this.propagate(effectsOf(this.store, [...new Set([...before, ...this.#namesOf(keys)])]));
    session.writtenTo = this.#offset;
    if ('reply' in result) return result.reply;
    return new ReplyError(result.failure.message);
  }

  /** The keys of a script, and those that it derives from them. */
  #namesOf(keys: readonly string[]): string[] {
    const names = keys.map((key) => toBytes(key));
    const derived = this.store.keys
      .names()
      .filter((name) => names.some((key) => name.startsWith(`{${key}}:`)));
    return [...names, ...derived];
  }

  /** Does on each replica what was done here, at the same time of its clock. */
  propagate(change: (store: MemoryStore) => void): void {
    this.#offset += 1;
    for (const link of this.#replicas) link.send(this.#offset, change);
  }

  /** Calls `done` with the number of replicas that have everything up to an offset, when they are enough or the time is up. */
  wait(needed: number, offset: number, timeout: number, done: (reached: number) => void): void {
    const count = () => [...this.#replicas].filter(({ acked }) => acked >= offset).length;
    const isOver = () => count() >= needed;
    if (isOver()) {
      done(count());
      return;
    }
    const check = () => {
      if (isOver()) finish();
    };
    const timer = this.world.after(this.process, timeout, '', () => finish());
    const finish = () => {
      this.#waiting.delete(check);
      this.world.cancel(timer);
      done(count());
    };
    this.#waiting.add(check);
  }

  /** The answer to `INFO`. */
  get info(): string {
    if (!this.isMaster) return 'role:slave\r\nmaster_host:other\r\nmaster_port:6379\r\n';
    const replicas = [...this.#replicas].map(
      (_, index) => `slave${index}:ip=0,port=0,state=online,offset=0,lag=0`,
    );
    return ['role:master', ...replicas, ''].join('\r\n');
  }

  get replicaLinks(): readonly ReplicaLink[] {
    return [...this.#replicas];
  }

  /** A replica copies everything, and then gets what comes. */
  attach(replica: SimulatedNode, syncTime = SYNC_TIME): void {
    replica.isMaster = false;
    replica.detach();
    const sync = (replica.#syncing += 1);
    const start = () => {
      if (sync !== replica.#syncing || !this.isMaster || !this.isUp || !replica.isUp) return;
      copyStore(this.world, this, replica);
      this.#replicas.add(
        new ReplicaLink({
          world: this.world,
          master: this,
          replica,
          offset: this.#offset,
          acked: () => {
            for (const check of this.#waiting) check();
          },
        }),
      );
    };
    if (syncTime === 0) start();
    else this.world.after(this.process, syncTime, `${replica.name} is in step`, start);
  }

  /** Its replicas get nothing any more, as when it is gone or cut off. */
  detach(): void {
    for (const link of this.#replicas) {
      this.#replicated = link.executed;
      link.cut();
    }
    this.#replicas.clear();
  }

  /** A replica becomes the master with what it has. */
  promote(): void {
    this.isMaster = true;
    this.#scripts.clear();
  }

  override restart(downFor: number): void {
    this.detach();
    this.#scripts.clear();
    super.restart(downFor);
  }
}

/** Copies all keys, with what is left of their lives. */
function copyStore(world: World, from: SimulatedNode, to: SimulatedNode): void {
  to.store.keys.clear();
  for (const name of from.keyNames()) copyKey(world, { from, to, key: toBytes(name) });
}

/** Copies a key from the store of one node to that of another. */
export function copyKey(
  world: World,
  { from, to, key }: { readonly from: SimulatedNode; readonly to: SimulatedNode; readonly key: string },
): void {
  world.as(to.process, () => copyBetween(from.store, to.store, key));
}

const SHA1 = new Map<string, string>();

function sha1Of(text: string): string {
  const known = SHA1.get(text) ?? createHash('sha1').update(text).digest('hex');
  SHA1.set(text, known);
  return known;
}
