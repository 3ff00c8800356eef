import type { NodeRedisSentinelOptions, SentinelNode } from '../redis-source/node-redis.source.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import { mapAddress } from './address.map.js';
import { whyOf } from './node-redis.trouble.js';
import { OneConnection } from './one.connection.js';
import type { RawClient } from './raw.client.js';

/** How long one sentinel may take, in ms. */
const ANSWER_TIMEOUT = 1000;

/** What a {@link MasterFinder} is made of. */
export interface MasterFinderParts {
  readonly options: NodeRedisSentinelOptions;
  readonly wheel: TimerWheel;
  /** Makes a client of a sentinel. */
  readonly connect: (sentinel: SentinelNode, signal: AbortSignal) => RawClient;
}

/** Asks sentinels for the address of the master. */
export class MasterFinder {
  /** The sentinel that has answered last is asked first. */
  #first = 0;

  constructor(private readonly parts: MasterFinderParts) {}

  /** @throws Error that has the answer of each sentinel, when none names the master */
  async find(): Promise<SentinelNode> {
    const { sentinelRootNodes, nodeAddressMap } = this.parts.options;
    const troubles: string[] = [];
    const { length } = sentinelRootNodes;
    for (let turn = 0; turn < length; turn += 1) {
      const place = (this.#first + turn) % length;
      const sentinel = sentinelRootNodes[place];
      if (sentinel === undefined) continue;
      try {
        const found = await this.#ask(sentinel);
        this.#first = place;
        return mapAddress(found, nodeAddressMap);
      } catch (error) {
        troubles.push(`${sentinel.host}:${sentinel.port}: ${whyOf(error)}`);
      }
    }
    throw new Error(`no sentinel knows the master: ${troubles.join('; ')}`);
  }

  async #ask(sentinel: SentinelNode): Promise<SentinelNode> {
    const { options, wheel, connect } = this.parts;
    const abort = new AbortController();
    const connection = new OneConnection(connect(sentinel, abort.signal), abort, {
      connected: () => undefined,
      lost: () => undefined,
      moved: () => undefined,
    });
    try {
      const answer = await wheel.within(ANSWER_TIMEOUT, answerOf(connection, options.name));
      if (answer === undefined) throw new Error(`no answer within ${ANSWER_TIMEOUT} ms`);
      return answer;
    } finally {
      connection.close();
    }
  }
}

async function answerOf(connection: OneConnection, name: string): Promise<SentinelNode> {
  await connection.open();
  const answer = await connection.send(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name]);
  if (!Array.isArray(answer)) throw new Error('it knows no master of that name');
  const [host, port]: unknown[] = answer;
  return { host: String(host), port: Number(port) };
}
