import { EventEmitter } from 'node:events';
import type { SlotView } from './cluster.slots.js';
import { SimulatedClient, type ClientPlace } from './simulated.client.js';

/** How long a node may take to answer which slots there are, in ms. */
const SLOTS_TIMEOUT = 1000;

type RetryStrategy = (attempt: number, reason?: Error) => number | null;

/** What a {@link SimulatedCluster} is made of. */
interface ClusterParts {
  readonly place: ClientPlace;
  readonly startupNodes: readonly string[];
  readonly connectionName: string;
  readonly retryStrategy: RetryStrategy;
}

/** A client of a cluster with the states, events and the pool of ioredis. */
export class SimulatedCluster extends EventEmitter {
  status = 'wait';
  slots: SlotView['slots'] = [];
  readonly options: { natMap: undefined; clusterRetryStrategy: RetryStrategy };
  readonly #pool = new Map<string, SimulatedClient>();
  #masters: ReadonlySet<string>;
  #refreshed: ((error?: Error) => void)[] = [];
  #isRefreshing = false;
  #isEnding = false;
  #attempts = 0;

  constructor(private readonly parts: ClusterParts) {
    super();
    this.#masters = new Set(parts.startupNodes);
    this.options = { natMap: undefined, clusterRetryStrategy: parts.retryStrategy };
  }

  nodes(role: 'all' | 'master' | 'slave' = 'all'): SimulatedClient[] {
    const isMeant = (key: string) => role === 'all' || this.#masters.has(key) === (role === 'master');
    return [...this.#pool].flatMap(([key, client]) => (isMeant(key) ? [client] : []));
  }

  connect(): Promise<void> {
    if (['connecting', 'connect', 'ready'].includes(this.status))
      return Promise.reject(new Error('Redis is already connecting/connected'));
    this.#isEnding = false;
    this.#setStatus('connecting');
    this.#reset(this.parts.startupNodes);
    return new Promise((resolve, reject) => {
      this.refreshSlotsCache((error) => {
        if (this.status !== 'connecting') {
          reject(new Error('Connection is aborted'));
        } else if (error === undefined) {
          this.#attempts = 0;
          this.#setStatus('connect');
          this.#setStatus('ready');
          resolve();
        } else {
          this.emit('error', error);
          reject(error);
          this.#close();
        }
      });
    });
  }

  disconnect(reconnect = false): void {
    if (!reconnect) this.#isEnding = true;
    this.#close();
  }

  /** Asks one node after the other; those that ask meanwhile share the answer. */
  refreshSlotsCache(done: (error?: Error) => void = () => undefined): void {
    this.#refreshed.push(done);
    if (this.#isRefreshing) return;
    this.#isRefreshing = true;
    void this.#refresh().then((error) => {
      this.#isRefreshing = false;
      if (error === undefined) this.emit('refresh');
      for (const each of this.#refreshed.splice(0)) each(error);
    });
  }

  pubsub(subcommand: string): Promise<unknown> {
    return this.#any((client) => client.pubsub(subcommand));
  }

  info(section: string): Promise<unknown> {
    return this.#any((client) => client.info(section));
  }

  async #refresh(): Promise<Error | undefined> {
    const { dice } = this.parts.place.process;
    const left = [...this.#pool];
    while (left.length > 0) {
      const [[key, node] = ['', undefined]] = left.splice(dice.below(left.length), 1);
      try {
        const view = await this.#askForSlots(node);
        if (['close', 'end'].includes(this.status)) return new Error('Cluster is disconnected.');
        this.slots = view.slots;
        this.#masters = view.masters;
        this.#reset([...view.nodes]);
        return undefined;
      } catch (error) {
        this.emit('node error', error, key);
      }
    }
    return new Error('Failed to refresh slots cache.');
  }

  /** By a connection of its own. */
  async #askForSlots(node: SimulatedClient | undefined): Promise<SlotView> {
    if (node === undefined) throw new Error('Node is disconnected');
    const { world, process } = this.parts.place;
    const asking = node.duplicate({
      enableOfflineQueue: true,
      retryStrategy: null,
      connectionName: 'refresher',
    });
    asking.on('error', () => undefined);
    try {
      return await new Promise((resolve, reject) => {
        world.after(process, SLOTS_TIMEOUT, '', () => reject(new Error('timeout')));
        asking.cluster('SLOTS').then((view) => resolve(view as SlotView), reject);
      });
    } finally {
      asking.disconnect();
    }
  }

  #any(ask: (client: SimulatedClient) => Promise<unknown>): Promise<unknown> {
    const all = this.nodes('master');
    const client = all[this.parts.place.process.dice.below(all.length)];
    return client === undefined ? Promise.reject(new Error('Connection is closed.')) : ask(client);
  }

  #reset(keys: readonly string[]): void {
    for (const [key, client] of this.#pool) {
      if (keys.includes(key)) continue;
      this.#pool.delete(key);
      client.disconnect();
    }
    for (const key of keys) if (!this.#pool.has(key)) this.#add(key);
  }

  #add(key: string): void {
    const { place, connectionName } = this.parts;
    const [host = '', port] = key.split(':');
    const options = {
      host,
      port: Number(port),
      enableOfflineQueue: true,
      retryStrategy: null,
      connectionName,
    };
    const client = new SimulatedClient(place, options);
    this.#pool.set(key, client);
    client.once('end', () => {
      if (this.#pool.has(key) && this.#pool.get(key) !== client) return;
      this.#pool.delete(key);
      this.emit('-node', client, key);
      if (this.#pool.size === 0 && this.status === 'ready') this.#close();
    });
    client.on('error', (error) => this.emit('node error', error, key));
    this.emit('+node', client, key);
  }

  #close(): void {
    if (this.status === 'end' || this.status === 'reconnecting') {
      if (this.#isEnding) this.#setStatus('end');
      return;
    }
    this.#setStatus('close');
    this.#reset([]);
    this.#attempts += 1;
    const pause = this.#isEnding ? null : this.options.clusterRetryStrategy(this.#attempts);
    if (pause === null) {
      this.#setStatus('end');
      return;
    }
    this.#setStatus('reconnecting');
    this.parts.place.world.after(this.parts.place.process, pause, '', () => {
      if (this.status === 'reconnecting') this.connect().catch(() => undefined);
    });
  }

  #setStatus(status: string): void {
    this.status = status;
    process.nextTick(() => this.emit(status));
  }
}
