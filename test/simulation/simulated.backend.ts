import type { Backend } from '../../libs/distributed-lock/src/connections/backend.contract.js';
import type {
  CommandCallback,
  Commands,
} from '../../libs/distributed-lock/src/connections/command.contract.js';
import { RedisFailure } from '../../libs/distributed-lock/src/redis/redis.failure.js';
import type {
  ScriptCommand,
  ScriptWords,
} from '../../libs/distributed-lock/src/client-port/script.command.js';
import type {
  Subscriber,
  SubscriberListener,
} from '../../libs/distributed-lock/src/redis/subscriber.contract.js';
import { fromBytes, toBytes } from '../../libs/distributed-lock/src/memory/memory.scripts.js';
import type { SimulatedEvent } from './event.heap.js';
import { SimulatedConnection } from './simulated.connection.js';
import type { SimulatedProcess } from './simulated.process.js';
import type { SimulatedServer } from './simulated.server.js';
import type { Network } from './simulated.wire.js';
import type { World } from './world.js';

/** Silence, while an answer is expected, after which a client gives a connection up, in ms. */
export const STALL = 3000;

/** A request without its answer. */
interface OpenRequest {
  readonly callback: CommandCallback;
  /** Gives the connection up when the answer does not come. */
  readonly stall: SimulatedEvent;
}

/** The two connections of one instance: what the library needs of Redis, on a simulated network. */
export class SimulatedBackend implements Backend {
  readonly commands: SimulatedCommands;
  readonly subscriber: SimulatedSubscriber;
  readonly keyPrefix = '';
  readonly isCluster = false;
  readonly countsAllReceivers = true;

  constructor(world: World, server: SimulatedServer, owner: SimulatedProcess, network: Network) {
    this.commands = new SimulatedCommands(world, server, owner, network);
    this.subscriber = new SimulatedSubscriber(world, server, owner, network);
  }

  close(): Promise<void> {
    this.commands.connection.close();
    return this.subscriber.close();
  }
}

/** The connection of commands. */
class SimulatedCommands implements Commands {
  readonly publish = 'PUBLISH';
  readonly isAcked = false;
  readonly connection: SimulatedConnection;
  readonly lifecycle: Commands['lifecycle'];
  /** Replies that are lost, from now on: the connection is silent until the client gives it up. */
  losesReplies = false;
  readonly #open = new Set<OpenRequest>();
  readonly #ready: (() => void)[] = [];
  readonly #atLoss: (() => void)[] = [];

  constructor(
    private readonly world: World,
    private readonly server: SimulatedServer,
    private readonly owner: SimulatedProcess,
    network: Network,
  ) {
    this.connection = new SimulatedConnection(world, server, owner, network, {
      ready: () => {
        this.losesReplies = false;
        for (const listener of this.#ready) listener();
      },
      lost: (why) => this.#lost(why),
    });
    const { connection } = this;
    this.lifecycle = {
      start: () => connection.connect(),
      get lastTrouble() {
        return connection.lastTrouble;
      },
    };
    connection.connect();
  }

  get isReady(): boolean {
    return this.connection.isReady;
  }

  onReady(listener: () => void): void {
    this.#ready.push(listener);
  }

  /** Calls `listener` each time the connection is lost. */
  onLost(listener: () => void): void {
    this.#atLoss.push(listener);
  }

  groupOf(): number {
    return 0;
  }

  untilSendable(): Promise<void> {
    return Promise.resolve();
  }

  demoted(): void {
    // One server has no replicas.
  }

  run(how: ScriptCommand, words: ScriptWords, _isAcked: boolean, callback: CommandCallback): void {
    const stall = this.world.after(this.owner, STALL, '', () => this.connection.restart());
    const request = { callback, stall };
    this.#open.add(request);
    this.connection.send(`run ${wordsOf(how, words)}`, (answer) => {
      const result = this.server.answer(how, words);
      const shown = 'failure' in result ? `error ${result.failure.message}` : JSON.stringify(result.reply);
      this.world.note(`reply ${shown}`);
      if (this.losesReplies) return;
      answer('', () => {
        if (!this.#open.delete(request)) return;
        this.world.cancel(stall);
        if ('failure' in result) callback.failed(result.failure);
        else callback.answered(result.reply);
      });
    });
  }

  #lost(why: string): void {
    const open = [...this.#open];
    this.#open.clear();
    for (const { callback, stall } of open) {
      this.world.cancel(stall);
      callback.failed(new RedisFailure('ambiguous', why));
    }
    for (const listener of this.#atLoss) listener();
  }
}

/** The connection of messages. */
class SimulatedSubscriber implements Subscriber {
  readonly connection: SimulatedConnection;
  readonly #wanted = new Set<string>();
  readonly #subscribed = new Set<string>();
  /** The server loses its messages until then. */
  losesMessagesUntil = -Infinity;
  /** Messages are late by so much, in ms, until {@link lateUntil}. */
  lateBy = 0;
  lateUntil = -Infinity;
  readonly #waiting = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();
  #listener: SubscriberListener | undefined;

  constructor(
    private readonly world: World,
    private readonly server: SimulatedServer,
    owner: SimulatedProcess,
    network: Network,
  ) {
    this.connection = new SimulatedConnection(world, server, owner, network, {
      ready: () => {
        for (const channel of this.#wanted) this.#send(channel, () => this.#listener?.resubscribed(channel));
      },
      lost: (why) => this.#lost(why),
    });
    this.connection.connect();
  }

  listen(listener: SubscriberListener): void {
    this.#listener = listener;
  }

  subscribe(channel: string): Promise<void> {
    this.#wanted.add(channel);
    if (!this.connection.isReady) return Promise.reject(new RedisFailure('unsent', 'there is no connection'));
    return new Promise((resolve, reject) => {
      this.#waiting.set(channel, { resolve, reject });
      this.#send(channel, () => {
        this.#waiting.get(channel)?.resolve();
        this.#waiting.delete(channel);
      });
    });
  }

  unsubscribe(channel: string): void {
    this.#wanted.delete(channel);
    this.connection.send(`unsubscribe ${channel}`, () => this.#forget(channel));
  }

  untilReady(): Promise<void> {
    return Promise.resolve();
  }

  restart(): void {
    this.connection.restart();
  }

  close(): Promise<void> {
    this.connection.close();
    for (const channel of [...this.#subscribed]) this.#forget(channel);
    return Promise.resolve();
  }

  #send(channel: string, acknowledged: () => void): void {
    this.connection.send(`subscribe ${channel}`, (answer) => {
      this.#subscribed.add(channel);
      this.server.store.channels.subscribe(toBytes(channel), this.#receive);
      answer('', acknowledged);
    });
  }

  #forget(channel: string): void {
    this.#subscribed.delete(channel);
    this.server.store.channels.unsubscribe(toBytes(channel), this.#receive);
  }

  #lost(why: string): void {
    for (const channel of [...this.#subscribed]) this.#forget(channel);
    for (const { reject } of this.#waiting.values()) reject(new RedisFailure('ambiguous', why));
    this.#waiting.clear();
    for (const channel of this.#wanted) this.#listener?.disconnected(channel);
  }

  readonly #receive = (name: string, payload: string | undefined): void => {
    const channel = fromBytes(name);
    if (payload === undefined) return;
    const text = fromBytes(payload);
    const { now } = this.world;
    if (now < this.losesMessagesUntil) return;
    const push = () =>
      this.connection.push(`message ${channel} ${text}`, () => this.#listener?.message(channel, text));
    if (now >= this.lateUntil) push();
    else
      this.world.after(this.server.process, this.lateBy, '', () => {
        if (this.#subscribed.has(channel)) push();
      });
  };
}

/** A command for the trace: the script by the beginning of its SHA-1. */
function wordsOf(how: ScriptCommand, [script = '', , ...rest]: ScriptWords): string {
  return `${how === 'eval' ? 'whole script' : script.slice(0, 6)} ${rest.join(' ')}`;
}
