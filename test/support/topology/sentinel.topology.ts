import { scaled } from '../slowness.js';
import { until } from '../until.js';
import type { Topology } from './topology.js';
import { TopologyFolder, TopologyServer, type ServerOptions } from './topology.server.js';
import type { TopologyDescription } from './topology.source.js';

const NAME = 'locks';
const REPLICAS = 2;
const SENTINELS = 3;
const QUORUM = 2;
/** How long a master may be silent before a sentinel takes it for dead, in ms. */
const DOWN_AFTER = scaled(1000);
const FAILOVER_TIMEOUT = scaled(4000);
/** How often sentinels look at servers, in ms: in earnest it is seconds, and a start would take as long. */
const PACE = ['PING-PERIOD', '200', 'INFO-PERIOD', '200', 'ASK-PERIOD', '200', 'PUBLISH-PERIOD', '100'];
/**
 * How often they speak to each other once they have met. Those that have not heard within four of it why a replica is a
 * master make it a replica again, and the one that promoted it looks every second.
 */
const MET = ['PUBLISH-PERIOD', `${scaled(500)}`];
/** A new replica does not wait for others that may come. */
const PROMPT = ['--repl-diskless-sync-delay', '0'];

/** A master, two replicas, three sentinels. */
export class SentinelTopology implements Topology {
  readonly kind = 'sentinel';

  private constructor(
    private readonly folder: TopologyFolder,
    readonly servers: readonly TopologyServer[],
    readonly sentinels: readonly TopologyServer[],
  ) {}

  static async start(options: ServerOptions = {}): Promise<SentinelTopology> {
    const folder = await TopologyFolder.make();
    const own = { ...options, args: [...PROMPT, ...(options.args ?? [])] };
    const started: TopologyServer[] = [];
    const start = async (what: ServerOptions) => {
      const server = await TopologyServer.start(folder, what);
      started.push(server);
      return server;
    };
    try {
      const master = await start(own);
      const following = { ...own, args: [...own.args, ...replicaOf(master)] };
      const replicas = await Promise.all(Array.from({ length: REPLICAS }, () => start(following)));
      await until('the replicas follow', () => follow(replicas, master));
      const watch = { args: ['--sentinel'], config: () => configOf(master) };
      const sentinels = await Promise.all(Array.from({ length: SENTINELS }, () => start(watch)));
      await setPace(sentinels, PACE);
      const topology = new SentinelTopology(folder, [master, ...replicas], sentinels);
      await topology.complete();
      await setPace(sentinels, MET);
      return topology;
    } catch (error) {
      await Promise.all(started.map((server) => server.stop()));
      await folder.remove();
      throw error;
    }
  }

  get describe(): TopologyDescription {
    return { kind: this.kind, nodes: this.sentinels.map(({ address }) => address), name: NAME };
  }

  /** The master that most sentinels tell. */
  async master(): Promise<TopologyServer> {
    const told = await this.#told();
    const port = told.find((one) => told.filter((other) => other === one).length >= QUORUM);
    const master = this.servers.find((server) => server.port === port);
    if (master === undefined) throw new Error(`the sentinels tell no one master: ${told.join(', ')}`);
    return master;
  }

  async masters(): Promise<TopologyServer[]> {
    return [await this.master()];
  }

  async replicas(): Promise<TopologyServer[]> {
    const master = await this.master();
    return this.servers.filter((server) => server !== master);
  }

  /** Waits until all servers that live follow one master, and all sentinels know them and each other. */
  async complete(): Promise<void> {
    const alive = this.servers.filter(({ answers }) => answers).length - 1;
    const knows = async ({ admin }: TopologyServer) => {
      const state = pairs(await admin.call('SENTINEL', 'MASTER', NAME));
      return (
        Number(state.get('num-slaves')) >= alive &&
        Number(state.get('num-other-sentinels')) === SENTINELS - 1 &&
        state.get('flags') === 'master'
      );
    };
    await until(
      'the sentinels know everybody',
      async () => {
        const answers = await Promise.all(this.#watching.map(knows));
        return answers.every(Boolean);
      },
      20_000,
    );
    await until(
      'the replicas follow',
      async () => {
        const master = await this.master();
        return await follow(
          this.servers.filter((server) => server.answers && server !== master),
          master,
        );
      },
      20_000,
    );
  }

  /**
   * Makes another server the master, in order, and waits until all sentinels tell it.
   * @returns the new master
   */
  async failOver(): Promise<TopologyServer> {
    const former = await this.master();
    await until(
      'the sentinels agree to fail over',
      async () => {
        const [sentinel] = this.#watching;
        // One fail-over at a time, and none without a replica that has spoken lately.
        return (
          (await sentinel?.admin.call('SENTINEL', 'FAILOVER', NAME).then(
            () => true,
            () => false,
          )) ?? false
        );
      },
      20_000,
    );
    return await this.succeeded(former);
  }

  /**
   * Kills the master. The sentinels notice, and make another one: see {@link succeeded}.
   * @returns what was killed
   */
  async killMaster(): Promise<TopologyServer> {
    const master = await this.master();
    await master.kill();
    return master;
  }

  /** Waits until all sentinels tell another master than `former`, and that one takes writes. */
  async succeeded(former: TopologyServer): Promise<TopologyServer> {
    await until(
      'there is another master',
      async () => {
        const told = new Set(await this.#told());
        if (told.size !== 1 || told.has(former.port)) return false;
        const { admin } = await this.master();
        return String(await admin.call('ROLE')).startsWith('master');
      },
      30_000,
    );
    return await this.master();
  }

  /** Starts a server that was killed again, as a replica of the master of now. */
  async restart(server: TopologyServer, keepData = false): Promise<void> {
    const master = await this.master();
    await server.restart({ keepData, args: [...PROMPT, ...(server === master ? [] : replicaOf(master))] });
    await this.complete();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.sentinels, ...this.servers].map((server) => server.stop()));
    await this.folder.remove();
  }

  get #watching(): TopologyServer[] {
    return this.sentinels.filter(({ answers }) => answers);
  }

  async #told(): Promise<number[]> {
    const answers = await Promise.all(
      this.#watching.map(({ admin }) => admin.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME)),
    );
    return answers.map((answer) => Number(Array.isArray(answer) ? answer[1] : Number.NaN));
  }
}

function configOf({ host, port }: TopologyServer): string {
  return [
    `sentinel monitor ${NAME} ${host} ${port} ${QUORUM}`,
    `sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER}`,
    `sentinel failover-timeout ${NAME} ${FAILOVER_TIMEOUT}`,
    `sentinel parallel-syncs ${NAME} ${REPLICAS}`,
    '',
  ].join('\n');
}

/** Sentinels of version 6 do not know it, and take longer. */
async function setPace(sentinels: readonly TopologyServer[], pace: readonly string[]): Promise<void> {
  await Promise.all(
    sentinels.map(({ admin }) => admin.call('SENTINEL', 'DEBUG', ...pace).catch(() => undefined)),
  );
}

function replicaOf({ host, port }: TopologyServer): string[] {
  return ['--replicaof', host, `${port}`];
}

/** Whether all of them have what the master has, and hear from it: to a master one is online before it has taken in what it got. */
async function follow(replicas: readonly TopologyServer[], { port }: TopologyServer): Promise<boolean> {
  const infos = await Promise.all(replicas.map(({ admin }) => admin.info('replication')));
  return infos.every(
    (info) => info.includes(`master_port:${port}\r`) && info.includes('master_link_status:up'),
  );
}

function pairs(answer: unknown): Map<string, string> {
  const words = Array.isArray(answer) ? answer.map(String) : [];
  return new Map(words.flatMap((word, index) => (index % 2 === 0 ? [[word, words[index + 1] ?? '']] : [])));
}
