import type { ConnectionWatch, OpenClient, Purpose } from '../client-port/open.client.js';
import type { ClientTemplate } from '../redis-source/client.template.js';
import type { NodeRedisSentinelOptions, SentinelNode } from '../redis-source/node-redis.source.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import { ClientMaker } from './client.maker.js';
import { FailoverWatch } from './failover.watch.js';
import { MasterFinder } from './master.finder.js';
import { NodeClient } from './node.client.js';
import { NodeRedisTrouble } from './node-redis.trouble.js';
import type { RedisPackage } from './package.loader.js';
import type { RawOptions } from './raw.client.js';

/** Makes clients of the master that sentinels name: before each connection they are asked for it. */
export function sentinelOpener(
  options: NodeRedisSentinelOptions,
  createClient: RedisPackage['createClient'],
): ClientTemplate['open'] {
  const { nodeClientOptions, sentinelClientOptions } = options;
  const shared = { RESP: Reflect.get(options, 'RESP') };
  const masters = new ClientMaker(createClient(optionsOf(shared, nodeClientOptions)));
  const sentinels = new ClientMaker(createClient(optionsOf(shared, sentinelClientOptions)));
  return (purpose: Purpose, wheel: TimerWheel, watch?: ConnectionWatch): OpenClient => {
    const connect = (sentinel: SentinelNode, signal: AbortSignal) =>
      sentinels.client('subscriber', signal, sentinel);
    const finder = new MasterFinder({ options, wheel, connect });
    const warn: ConnectionWatch['warn'] = watch?.warn ?? (() => undefined);
    const client = new NodeClient({
      wheel,
      demands: { master: watch !== undefined, warn },
      make: async (signal) => masters.client(purpose, signal, await finder.find()),
    });
    if (watch !== undefined) new FailoverWatch({ options, wheel, connect, client, warn }).start();
    return { client, trouble: new NodeRedisTrouble() };
  };
}

/** What the client of the `redis` package does: options of all connections come before those of one kind. */
function optionsOf(shared: object, options: object | undefined): RawOptions {
  return { ...shared, ...options };
}
