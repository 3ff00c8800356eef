import { EventEmitter } from 'node:events';
import type { ClientPort } from '../client-port/client.port.js';
import type { NodeKey } from '../client-port/cluster.map.js';
import { retryPause } from '../client-port/retry.pause.js';
import { machine } from '../timing/machine.js';
import type { Timer, TimerWheel } from '../timing/timer.wheel.js';
import type { NodeClient } from './node.client.js';
import { offline } from './reply.failure.js';
import type { SlotFinder } from './slot.finder.js';
import type { SlotTable } from './slots.reader.js';

/** What a {@link ClusterClient} is made of. */
export interface ClusterClientParts {
  readonly wheel: TimerWheel;
  readonly finder: SlotFinder;
  /** Makes the client of a node, which makes one connection. */
  readonly clientOf: (node: NodeKey) => NodeClient;
}

/**
 * The client of a cluster: it knows which node has which slot, and keeps one client for each master. It sends no scripts; cluster/ chooses
 * the node of each one.
 */
export class ClusterClient extends EventEmitter implements ClientPort {
  status = 'wait';
  #table: SlotTable = { slots: [], masters: [], nodes: [] };
  readonly #pool = new Map<NodeKey, NodeClient>();
  /** Why there is no connection to a node. */
  readonly #troubles = new Map<NodeKey, unknown>();
  #refreshing: Promise<void> | undefined;
  #timer: Timer | undefined;
  #attempts = 0;

  constructor(private readonly parts: ClusterClientParts) {
    super();
    this.setMaxListeners(0);
  }

  get table(): SlotTable {
    return this.#table;
  }

  /** The clients of the masters. */
  get pool(): ReadonlyMap<NodeKey, NodeClient> {
    return this.#pool;
  }

  /** The last error of a node. */
  troubleOf(node: NodeKey): unknown {
    return this.#troubles.get(node);
  }

  async connect(): Promise<void> {
    if (this.status !== 'wait' && this.status !== 'end') return;
    this.#attempts = 0;
    await this.#open();
  }

  disconnect(reconnect = false): void {
    if (reconnect && this.status === 'wait') return;
    this.#close(reconnect);
  }

  /** Reads the slots from any node. Never rejects: without an answer the known slots stay. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#read()
      .catch((error: unknown) => this.#report(error))
      .finally(() => {
        this.#refreshing = undefined;
      });
    return this.#refreshing;
  }

  evalsha(sha1: string, numberOfKeys: number, ...rest: string[]): Promise<unknown> {
    return this.#any((client) => client.evalsha(sha1, numberOfKeys, ...rest));
  }

  eval(text: string, numberOfKeys: number, ...rest: string[]): Promise<unknown> {
    return this.#any((client) => client.eval(text, numberOfKeys, ...rest));
  }

  subscribe(...channels: string[]): Promise<unknown> {
    return this.#any((client) => client.subscribe(...channels));
  }

  unsubscribe(...channels: string[]): Promise<unknown> {
    return this.#any((client) => client.unsubscribe(...channels));
  }

  ssubscribe(...channels: string[]): Promise<unknown> {
    return this.#any((client) => client.ssubscribe(...channels));
  }

  sunsubscribe(...channels: string[]): Promise<unknown> {
    return this.#any((client) => client.sunsubscribe(...channels));
  }

  pubsub(subcommand: string): Promise<unknown> {
    return this.#any((client) => client.pubsub(subcommand));
  }

  ping(): Promise<unknown> {
    return this.#any((client) => client.ping());
  }

  info(section: string): Promise<unknown> {
    return this.#any((client) => client.info(section));
  }

  #any(run: (client: NodeClient) => Promise<unknown>): Promise<unknown> {
    const clients = [...this.#pool.values()];
    const ready = clients.filter(({ status }) => status === 'ready');
    const among = ready.length > 0 ? ready : clients;
    const client = among[Math.floor(machine.global.Math.random() * among.length)];
    return client === undefined ? Promise.reject(offline()) : run(client);
  }

  async #open(): Promise<void> {
    this.#become('connecting');
    try {
      await this.#read({ demandsUp: true });
      if (this.status !== 'connecting') return;
      this.#attempts = 0;
      this.#become('connect');
      this.#become('ready');
    } catch (error) {
      if (this.status !== 'connecting') return;
      this.#report(error);
      this.#close(true);
    }
  }

  async #read({ demandsUp = false } = {}): Promise<void> {
    const table = await this.parts.finder.find([...this.#pool], this.#table.nodes, demandsUp);
    if (this.status === 'end' || this.status === 'reconnecting') return;
    this.#table = table;
    for (const [key, client] of this.#pool) if (!table.masters.includes(key)) this.#drop(key, client);
    for (const key of table.masters) if (!this.#pool.has(key)) this.#add(key);
    this.emit('refresh');
  }

  #add(key: NodeKey): void {
    const client = this.parts.clientOf(key);
    this.#pool.set(key, client);
    client.on('ready', () => {
      this.#troubles.delete(key);
      if ([...this.#pool.values()].every(({ status }) => status === 'ready')) this.#attempts = 0;
    });
    client.on('error', (error: unknown) => this.#troubles.set(key, error));
    client.on('end', () => {
      if (this.#pool.get(key) !== client) return;
      this.#pool.delete(key);
      if (this.status !== 'ready') return;
      if (this.#pool.size > 0) this.#refreshLater();
      else this.#close(true);
    });
    void client.connect();
  }

  #drop(key: NodeKey, client: NodeClient): void {
    this.#pool.delete(key);
    client.disconnect();
  }

  /** A lost node is replaced when the map is read again, which another one may serve by then. */
  #refreshLater(): void {
    this.#attempts += 1;
    this.parts.wheel.cancel(this.#timer);
    this.#timer = this.parts.wheel.after(retryPause(this.#attempts), () => void this.refresh());
  }

  #close(reconnect: boolean): void {
    const wasOpen = ['connecting', 'connect', 'ready'].includes(this.status);
    this.parts.wheel.cancel(this.#timer);
    this.status = reconnect ? 'reconnecting' : 'end';
    for (const [key, client] of this.#pool) this.#drop(key, client);
    if (wasOpen) this.emit('close');
    if (!reconnect) this.emit('end');
    // A listener may have closed it.
    if (this.status !== 'reconnecting') return;
    this.emit('reconnecting');
    this.#attempts += 1;
    this.#timer = this.parts.wheel.after(retryPause(this.#attempts), () => void this.#open());
  }

  #report(error: unknown): void {
    if (this.listenerCount('error') > 0) this.emit('error', error);
  }

  #become(status: string): void {
    this.status = status;
    this.emit(status);
  }
}
