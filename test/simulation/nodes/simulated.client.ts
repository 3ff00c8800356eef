import { EventEmitter } from 'node:events';
import type { ServerConnection } from '../simulated.server.js';
import type { SimulatedProcess } from '../simulated.process.js';
import { SimulatedWire, type Network } from '../simulated.wire.js';
import type { World } from '../world.js';
import { NodeSession, type Push } from './node.session.js';
import { ReplyError } from './reply.error.js';
import type { SimulatedNode } from './simulated.node.js';

/** What a client connects in. */
export interface ClientPlace {
  readonly world: World;
  readonly process: SimulatedProcess;
  readonly network: Network;
  /** The node of an address; undefined for the address that sentinels give. An error where it cannot be reached. */
  readonly find: (address: string | undefined) => SimulatedNode | Error;
  /** The slots of the cluster as a node knows them. */
  readonly slotsOf: (node: SimulatedNode) => unknown;
  /** Every client that is made, for faults. */
  readonly clients: Set<SimulatedClient>;
}

/** The options of ioredis that matter here. */
export interface SimulatedOptions {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly enableOfflineQueue?: boolean;
  readonly retryStrategy?: ((attempt: number) => number | null) | null;
  readonly connectionName?: string | undefined;
  readonly readOnly?: boolean;
}

interface Sent {
  readonly words: readonly string[];
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** What one connection consists of. */
interface Line {
  readonly node: SimulatedNode;
  readonly toNode: SimulatedWire;
  readonly toClient: SimulatedWire;
  readonly session: NodeSession;
}

const CLOSED = 'Connection is closed.';

/** A client of one node with the states, events and rejections of ioredis, on a simulated network. */
export class SimulatedClient extends EventEmitter implements ServerConnection {
  status = 'wait';
  readonly stream = { cork: () => undefined, uncork: () => undefined };
  /** From now on replies on its connection are lost, and this is called for each. */
  onLostReply: (() => void) | undefined;
  #line: Line | undefined;
  #sent: Sent[] = [];
  #offline: Sent[] = [];
  #attempts = 0;
  #epoch = 0;
  #isEnding = false;
  #connecting: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;

  constructor(
    readonly place: ClientPlace,
    readonly options: SimulatedOptions,
  ) {
    super();
    place.clients.add(this);
  }

  /** The node that it is connected to. */
  get node(): SimulatedNode | undefined {
    return this.#line?.node;
  }

  /** Whether it subscribes. */
  get isSubscriber(): boolean {
    return this.options.connectionName?.endsWith('subscriber') === true;
  }

  connect(): Promise<void> {
    if (['connecting', 'connect', 'ready'].includes(this.status))
      return Promise.reject(new Error('Redis is already connecting/connected'));
    this.#isEnding = false;
    this.#setStatus('connecting');
    const epoch = (this.#epoch += 1);
    const { world, process, network } = this.place;
    const handshake = network.requests.least + network.replies.least + process.dice.fraction() * 2;
    world.after(process, handshake, '', () => {
      if (epoch === this.#epoch && this.status === 'connecting') this.#open();
    });
    return new Promise((resolve, reject) => {
      this.#connecting = { resolve, reject };
    });
  }

  disconnect(reconnect = false): void {
    if (!reconnect) this.#isEnding = true;
    if (this.status === 'wait' || (this.status === 'reconnecting' && !reconnect)) {
      this.#epoch += 1;
      this.#close();
    } else if (this.#line !== undefined || this.status === 'connecting') {
      const epoch = this.#epoch;
      this.place.world.after(this.place.process, 0, '', () => {
        if (epoch === this.#epoch && this.status !== 'end') this.#close();
      });
    }
  }

  /** The node, or the network, breaks the connection. */
  cut(why: string): void {
    if (this.#line === undefined) return;
    this.#hangUp();
    const epoch = this.#epoch;
    this.place.world.after(
      this.place.process,
      0,
      `connection of ${this.options.connectionName} lost: ${why}`,
      () => {
        if (epoch !== this.#epoch) return;
        this.emit('error', new Error(why));
        this.#close();
      },
    );
  }

  duplicate(options: SimulatedOptions = {}): SimulatedClient {
    return new SimulatedClient(this.place, { ...this.options, ...options });
  }

  call(...words: readonly string[]): Promise<unknown> {
    if (this.status === 'wait') void this.connect().catch(() => undefined);
    return new Promise((resolve, reject) => {
      const sent = { words, resolve, reject };
      if (this.status === 'end') reject(new Error(CLOSED));
      else if (this.status === 'ready') this.#send(sent);
      else if (this.options.enableOfflineQueue === true) this.#offline.push(sent);
      else reject(new Error("Stream isn't writeable and enableOfflineQueue options is false"));
    });
  }

  evalsha(sha1: string, keys: number, ...rest: string[]): Promise<unknown> {
    return this.call('evalsha', sha1, `${keys}`, ...rest);
  }

  eval(text: string, keys: number, ...rest: string[]): Promise<unknown> {
    return this.call('eval', text, `${keys}`, ...rest);
  }

  subscribe(...channels: string[]): Promise<unknown> {
    return this.call('subscribe', ...channels);
  }

  unsubscribe(...channels: string[]): Promise<unknown> {
    return this.call('unsubscribe', ...channels);
  }

  ssubscribe(...channels: string[]): Promise<unknown> {
    return this.call('ssubscribe', ...channels).catch((error: unknown) => {
      if (error instanceof ReplyError && error.message.startsWith('MOVED ')) this.emit('moved');
      throw error;
    });
  }

  sunsubscribe(...channels: string[]): Promise<unknown> {
    return this.call('sunsubscribe', ...channels);
  }

  pubsub(subcommand: string): Promise<unknown> {
    return this.call('pubsub', subcommand);
  }

  ping(): Promise<unknown> {
    return this.call('ping');
  }

  asking(): Promise<unknown> {
    return this.call('asking');
  }

  wait(replicas: number, timeout: number): Promise<unknown> {
    return this.call('wait', `${replicas}`, `${timeout}`);
  }

  cluster(subcommand: string): Promise<unknown> {
    return this.call('cluster', subcommand);
  }

  /** Without a section it is the last command of the handshake. */
  info(...sections: string[]): Promise<unknown> {
    if (this.status !== 'connect' || sections.length > 0) return this.call('info', ...sections);
    return new Promise((resolve, reject) => this.#send({ words: ['info'], resolve, reject }));
  }

  #open(): void {
    const { world, process, network, find, slotsOf } = this.place;
    const { host, port } = this.options;
    const node = find(host === undefined ? undefined : `${host}:${port}`);
    if (node instanceof Error || !node.isUp || network.partedUntil > world.now) {
      this.emit('error', node instanceof Error ? node : new Error('connect ECONNREFUSED'));
      this.#close();
      return;
    }
    const fraction = () => process.dice.fraction();
    const toClient = new SimulatedWire(world, process, network.replies, fraction);
    const push: Push = (event, channel, payload) =>
      toClient.send(`${event} ${channel} ${payload}`, () => this.emit(event, channel, payload));
    const session = new NodeSession(node, push, () => slotsOf(node));
    const toNode = new SimulatedWire(world, node.process, network.requests, fraction);
    this.#line = { node, toNode, toClient, session };
    this.onLostReply = undefined;
    node.connections.add(this);
    this.#setStatus('connect');
    const epoch = this.#epoch;
    this.info().then(
      () => epoch === this.#epoch && this.status === 'connect' && this.#ready(),
      (error: unknown) => {
        if (epoch !== this.#epoch || this.status !== 'connect') return;
        this.emit('error', error);
        this.disconnect(true);
      },
    );
  }

  #ready(): void {
    this.#attempts = 0;
    this.#setStatus('ready');
    this.#connecting?.resolve();
    for (const sent of this.#offline.splice(0)) this.#send(sent);
  }

  #send(sent: Sent): void {
    const line = this.#line;
    this.#sent.push(sent);
    if (line === undefined) return;
    const { words } = sent;
    const [command = '', first = '', , ...rest] = words;
    const what = command.startsWith('eval') ? `run ${first.slice(0, 6)} ${rest.join(' ')}` : words.join(' ');
    line.toNode.send(what, () => {
      line.session.serve(words, (reply) => {
        if (command.startsWith('eval')) this.place.world.note(`reply ${showReply(reply)}`);
        if (this.onLostReply !== undefined) this.onLostReply();
        else line.toClient.send('', () => this.#settle(line, reply));
      });
    });
  }

  /** Replies come in the order of the commands. */
  #settle(line: Line, reply: unknown): void {
    if (this.#line !== line) return;
    const sent = this.#sent.shift();
    if (reply instanceof ReplyError) sent?.reject(new ReplyError(reply.message));
    else sent?.resolve(reply);
  }

  #hangUp(): void {
    const line = this.#line;
    if (line === undefined) return;
    this.#line = undefined;
    line.toNode.cut();
    line.toClient.cut();
    line.session.end();
    line.node.connections.delete(this);
  }

  #close(): void {
    this.#hangUp();
    this.#epoch += 1;
    this.#setStatus('close');
    this.#connecting?.reject(new Error(CLOSED));
    for (const { reject } of this.#sent.splice(0)) reject(new Error(CLOSED));
    const { retryStrategy } = this.options;
    this.#attempts += 1;
    const pause = this.#isEnding ? null : (retryStrategy?.(this.#attempts) ?? null);
    if (pause === null) {
      for (const { reject } of this.#offline.splice(0)) reject(new Error(CLOSED));
      this.#setStatus('end');
      this.place.clients.delete(this);
      return;
    }
    this.#setStatus('reconnecting');
    const epoch = this.#epoch;
    this.place.world.after(this.place.process, pause, '', () => {
      if (epoch === this.#epoch && this.status === 'reconnecting') void this.connect().catch(() => undefined);
    });
  }

  /** Its listeners are called a little later, as in ioredis. */
  #setStatus(status: string): void {
    this.status = status;
    process.nextTick(() => this.emit(status));
  }
}

function showReply(reply: unknown): string {
  return reply instanceof ReplyError ? `error ${reply.message}` : JSON.stringify(reply);
}
