import type { TopologyServer } from './topology.server.js';

/** A line of CLUSTER NODES. */
interface NodeLine {
  readonly id: string;
  readonly port: number;
  readonly flags: readonly string[];
  /** Whom it replicates; `-` for a master. */
  readonly master: string;
  readonly slots: readonly (readonly [first: number, last: number])[];
}

/** What the nodes of a cluster say about it. */
export class ClusterView {
  constructor(private readonly servers: readonly TopologyServer[]) {}

  get #alive(): TopologyServer[] {
    return this.servers.filter(({ answers }) => answers);
  }

  /** Whether every node knows every other one, and is known by it. */
  async haveMet(): Promise<boolean> {
    const views = await this.#views();
    return views.every(
      (lines) =>
        lines.length === this.servers.length && lines.every(({ flags }) => !flags.includes('handshake')),
    );
  }

  async masters(): Promise<TopologyServer[]> {
    const [lines = []] = await this.#views();
    const ports = lines
      .filter(({ flags, slots }) => isMaster(flags) && slots.length > 0)
      .map(({ port }) => port);
    return this.servers.filter(({ port }) => ports.includes(port));
  }

  /** The ports of a slot's master, one from every node that lives; NaN from one that knows none. */
  async ownersOf(slot: number): Promise<number[]> {
    const views = await this.#views();
    return views.map(
      (lines) =>
        lines.find(
          ({ flags, slots }) =>
            isMaster(flags) && slots.some(([first, last]) => first <= slot && slot <= last),
        )?.port ?? Number.NaN,
    );
  }

  async masterOf(slot: number): Promise<TopologyServer> {
    const owners = await this.ownersOf(slot);
    const count = (port: number) => owners.filter((other) => other === port).length;
    const [most] = owners.toSorted((one, other) => count(other) - count(one));
    const master = this.servers.find(({ port }) => port === most);
    if (master === undefined) throw new Error(`slot ${slot} has no master`);
    return master;
  }

  async replicasOf(master: TopologyServer): Promise<TopologyServer[]> {
    const [[lines = []], id] = await Promise.all([this.#views(), this.idOf(master)]);
    const ports = lines.filter((line) => line.master === id).map(({ port }) => port);
    return this.servers.filter(({ port }) => ports.includes(port));
  }

  async idOf({ port }: TopologyServer): Promise<string> {
    const [lines = []] = await this.#views();
    const id = lines.find((line) => line.port === port)?.id;
    if (id === undefined) throw new Error(`no node at port ${port}`);
    return id;
  }

  /** Whether all nodes that live take commands. */
  async isUp(): Promise<boolean> {
    const states = await Promise.all(this.#alive.map(({ admin }) => admin.call('CLUSTER', 'INFO')));
    return states.every((state) => String(state).includes('cluster_state:ok'));
  }

  /** Whether they also agree on who has what, see no other one that lives as failing, and all replicas follow. */
  async isWell(): Promise<boolean> {
    if (!(await this.isUp())) return false;
    const alive = new Set(this.#alive.map(({ port }) => port));
    const views = await this.#views();
    const doubted = views.flat().some(({ port, flags }) => alive.has(port) && flags.some(isDoubt));
    // One that has come again takes itself for what it was, until the others have told it.
    const opinions = new Set(views.map((lines) => opinionOf(lines.filter(({ port }) => alive.has(port)))));
    if (doubted || opinions.size !== 1) return false;
    const roles = await Promise.all(this.#alive.map(({ admin }) => admin.info('replication')));
    const replicas = roles.filter((role) => role.includes('role:slave'));
    return (
      replicas.length >= this.#alive.length - (await this.masters()).length &&
      replicas.every((role) => role.includes('master_link_status:up'))
    );
  }

  async #views(): Promise<NodeLine[][]> {
    return await Promise.all(
      this.#alive.map(async ({ admin }) => parse(String(await admin.call('CLUSTER', 'NODES')))),
    );
  }
}

/** Who has which slots, and who follows whom. */
function opinionOf(lines: readonly NodeLine[]): string {
  return lines
    .map(({ port, master, slots }) => `${port} ${master} ${slots.join(' ')}`)
    .toSorted()
    .join('\n');
}

function isMaster(flags: readonly string[]): boolean {
  return flags.includes('master') && !flags.includes('fail');
}

function isDoubt(flag: string): boolean {
  return flag === 'fail' || flag === 'fail?' || flag === 'handshake' || flag === 'noaddr';
}

function parse(nodes: string): NodeLine[] {
  return nodes
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [id = '', address = '', flags = '', master = '', , , , , ...ranges] = line.split(' ');
      return {
        id,
        port: Number(/:(\d+)/.exec(address)?.[1]),
        flags: flags.split(','),
        master,
        // What stands in brackets is on its way from or to another node.
        slots: ranges.filter((range) => !range.startsWith('[')).map(readRange),
      };
    });
}

function readRange(range: string): [first: number, last: number] {
  const [first, last] = range.split('-').map(Number);
  return [first ?? Number.NaN, last ?? first ?? Number.NaN];
}
