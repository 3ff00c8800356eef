import type { WarningListener } from '../client-port/connection.warning.js';
import type { NodeRedisSentinelOptions, SentinelNode } from '../redis-source/node-redis.source.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import { whyOf } from './node-redis.trouble.js';
import { NodeClient } from './node.client.js';
import type { RawClient } from './raw.client.js';

/** The channel on which a sentinel reports another master. */
const CHANNEL = '+switch-master';

/** What a {@link FailoverWatch} is made of. */
export interface FailoverWatchParts {
  readonly options: NodeRedisSentinelOptions;
  readonly wheel: TimerWheel;
  /** Makes a client of a sentinel. */
  readonly connect: (sentinel: SentinelNode, signal: AbortSignal) => RawClient;
  /** The client that has to follow the master. */
  readonly client: NodeClient;
  readonly warn: WarningListener;
}

/** Subscribes to all sentinels while a client is in use, and has it connect again when they report another master. */
export class FailoverWatch {
  readonly #sentinels: NodeClient[];

  constructor(private readonly parts: FailoverWatchParts) {
    this.#sentinels = parts.options.sentinelRootNodes.map((sentinel) => this.#clientOf(sentinel));
  }

  /** To be called before the client connects. */
  start(): void {
    const { client } = this.parts;
    client.on('ready', () => {
      for (const sentinel of this.#sentinels)
        if (sentinel.status === 'wait' || sentinel.status === 'end') void sentinel.connect();
    });
    client.on('end', () => {
      for (const sentinel of this.#sentinels) sentinel.disconnect();
    });
  }

  #clientOf(sentinel: SentinelNode): NodeClient {
    const { wheel, connect, client, options, warn } = this.parts;
    const watcher = new NodeClient({
      wheel,
      demands: { master: false, warn: () => undefined },
      make: (signal) => connect(sentinel, signal),
    });
    watcher.on('error', (error: unknown) =>
      warn('sentinel-away', `${sentinel.host}:${sentinel.port}: ${whyOf(error)}`),
    );
    watcher.on('ready', () => {
      watcher.subscribe(CHANNEL).catch(() => watcher.disconnect(true));
    });
    watcher.on('message', (_channel: string, message: string) => {
      if (message.startsWith(`${options.name} `) && client.status === 'ready') client.disconnect(true);
    });
    return watcher;
  }
}
