import type { ClientPort, NodePort } from '../client-port/client.port.js';
import type { ClusterMap } from '../client-port/cluster.map.js';
import type { OpenClient } from '../client-port/open.client.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import type { ClientTemplate } from '../redis-source/client.template.js';
import { ClientLifecycle } from '../redis/client.lifecycle.js';
import { slotOf } from '../redis/key.slot.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { RedisSource } from '../redis-source/redis-source.reader.js';
import { readTemplate } from './template.loader.js';

/** One server that an operator sends commands to. */
export interface ServerPort {
  readonly address: string;
  /**
   * Sends one command.
   * @throws RedisFailure, also when no answer came in time
   */
  ask(command: string, ...args: readonly string[]): Promise<unknown>;
  /**
   * Finds keys by one step of SCAN, which never blocks a server for long. A key may be found twice.
   * @param begins the first characters of the keys
   * @param cursor `'0'` for the first step
   * @throws RedisFailure
   */
  scan(begins: string, cursor: string): Promise<KeyStep>;
}

/** What one step has found. */
export interface KeyStep {
  /** Of the next step; `'0'` after the last one. */
  readonly cursor: string;
  readonly keys: readonly string[];
}

/** Direct connections to the servers of a URL, beside the locks: the caller that opens them closes them. They give up at the first error. */
export interface ServerSession {
  /** The source for opening locks; it finds a cluster behind the URL of one of its nodes. */
  readonly source: RedisSource;
  /** The address for messages; never has a password. */
  readonly address: string;
  /** For messages: the package of the client. */
  readonly client: string;
  /** The prefix that the URL makes a client put before keys. */
  readonly keyPrefix: string;
  readonly isCluster: boolean;
  /** The one server, or the masters of a cluster. */
  readonly servers: readonly ServerPort[];
  /** The server that has a key. */
  serverOf(key: string): ServerPort;
  close(): Promise<void>;
}

/**
 * @param timeout in ms, for the connection and for each answer
 * @throws LockConfigurationError for an invalid source
 * @throws RedisFailure when no server answers, or the password is wrong
 */
export async function openSession(
  source: RedisSource,
  wheel: TimerWheel,
  timeout: number,
): Promise<ServerSession> {
  const template = await readTemplate(source);
  if (template.isCluster) return await sessionOfCluster(source, template, wheel, timeout);
  const { client, close } = await connect(template.open('commands', wheel), wheel, timeout);
  try {
    const port = portOf(client, template.address, wheel, timeout);
    const info = await port.ask('INFO', 'cluster').catch(forgiven);
    if (typeof source !== 'string' || !/^cluster_enabled:1/m.test(String(info))) {
      const { address, client: name, keyPrefix } = template;
      return {
        source,
        address,
        client: name,
        keyPrefix,
        isCluster: false,
        servers: [port],
        serverOf: () => port,
        close,
      };
    }
  } catch (error) {
    await close();
    throw error;
  }
  await close();
  const { address, keyPrefix } = template;
  const found = template.clusterBehind();
  const session = await sessionOfCluster(found, await readTemplate(found), wheel, timeout);
  return { ...session, keyPrefix, address: `the cluster at ${address}` };
}

async function sessionOfCluster(
  source: RedisSource,
  template: ClientTemplate,
  wheel: TimerWheel,
  timeout: number,
): Promise<ServerSession> {
  const { address, client, keyPrefix } = template;
  const opened = template.openCluster(wheel);
  const { close } = await connect(opened, wheel, timeout);
  try {
    return {
      source,
      address,
      client,
      keyPrefix,
      isCluster: true,
      ...(await portsOf(opened.map, wheel, timeout)),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The masters of a cluster. */
async function portsOf(
  map: ClusterMap,
  wheel: TimerWheel,
  timeout: number,
): Promise<Pick<ServerSession, 'servers' | 'serverOf'>> {
  await wheel.within(timeout, map.connectMasters());
  const ports = new Map(
    map.masters.flatMap((key) => {
      const client = map.client(key);
      return client === undefined ? [] : [[key, portOf(client, key, wheel, timeout)] as const];
    }),
  );
  const servers = [...ports.values()];
  const [any] = servers;
  const serverOf = (key: string) => {
    const found = ports.get(map.ownerOf(slotOf(key)) ?? '') ?? any;
    if (found !== undefined) return found;
    throw new RedisFailure('unsent', 'the cluster has no master');
  };
  return { servers, serverOf };
}

interface Connected<C> {
  readonly client: C;
  readonly close: () => Promise<void>;
}

async function connect<C extends ClientPort>(
  opened: OpenClient<C>,
  wheel: TimerWheel,
  timeout: number,
): Promise<Connected<C>> {
  const lifecycle = new ClientLifecycle(opened, wheel, timeout);
  try {
    await Promise.race([
      lifecycle.untilReady(timeout),
      // A cluster has more than one node.
      ...('map' in opened ? [] : [firstError(lifecycle)]),
    ]);
  } catch (error) {
    await lifecycle.close();
    const { message } = RedisFailure.from(error);
    throw new RedisFailure(
      'unsent',
      /^no connection yet$/.test(message) ? `no answer within ${timeout} ms` : message,
    );
  }
  return { client: opened.client, close: () => lifecycle.close() };
}

/** An operator at a terminal needs an error at once, and does not wait for a server that may come back. */
function firstError(lifecycle: ClientLifecycle): Promise<never> {
  return new Promise((_, reject) => {
    lifecycle.client.once('error', () => reject(new RedisFailure('unsent', lifecycle.lastError)));
  });
}

function portOf(client: NodePort, address: string, wheel: TimerWheel, timeout: number): ServerPort {
  const ask = async (command: string, ...args: readonly string[]): Promise<unknown> => {
    const sent = client.call(command, ...args).then(
      (reply: unknown) => ({ reply }),
      (error: unknown) => {
        throw RedisFailure.from(error);
      },
    );
    const answer = await wheel.within(timeout, sent);
    if (answer !== undefined) return answer.reply;
    throw new RedisFailure('ambiguous', `no answer within ${timeout} ms`);
  };
  return {
    address,
    ask,
    async scan(begins, cursor) {
      const reply = await ask('SCAN', cursor, 'MATCH', `${escapeGlob(begins)}*`, 'COUNT', STEP);
      const [next, keys]: unknown[] = Array.isArray(reply) ? reply : ['0'];
      return { cursor: String(next), keys: Array.isArray(keys) ? keys.map(String) : [] };
    },
  };
}

/** Keys that a server checks in one step; it serves others between two steps. */
const STEP = '500';

/** A beginning is text; SCAN takes a pattern. */
function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]]/g, (character) => `\\${character}`);
}

/** A missing permission is no error here: the answer would only add details. */
function forgiven(error: unknown): undefined {
  if (error instanceof RedisFailure && error.kind === 'refused') return undefined;
  throw error;
}
