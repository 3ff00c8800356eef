import type { ConnectionWatch, OpenClient, Purpose } from '../client-port/open.client.js';
import type { SendScript } from '../client-port/script.command.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import type { ClientTemplate } from '../redis-source/client.template.js';
import {
  isNodeRedisCluster,
  isSentinelOptions,
  type NodeRedisSource,
} from '../redis-source/node-redis.source.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import { ClientMaker } from './client.maker.js';
import { addressOf } from './client.settings.js';
import { clusterOf } from './cluster.opener.js';
import { NodeClient } from './node.client.js';
import { NodeRedisTrouble } from './node-redis.trouble.js';
import { loadPackage, type RedisPackage } from './package.loader.js';
import type { RawOptions } from './raw.client.js';
import { sentinelOpener } from './sentinel.opener.js';
import { clusterOptionsOf, optionsOfUrl } from './url.options.js';

/**
 * Reads a source that was checked.
 * @param option its name, for messages
 * @throws LockConfigurationError `INVALID_OPTION`
 * @throws what Node throws where the `redis` package is needed, and not installed
 */
export async function readNodeRedis(
  given: string | NodeRedisSource,
  option: string,
): Promise<ClientTemplate> {
  if (typeof given === 'string') return ofUrl(given, option, await loadPackage());
  if (isSentinelOptions(given)) {
    const { createClient } = await loadPackage();
    const { name, sentinelRootNodes } = given;
    const { keyPrefix = '' }: RawOptions = given.nodeClientOptions ?? {};
    return templateOf({
      keyPrefix,
      address: `the master "${name}" of ${sentinelRootNodes.length} sentinels`,
      open: sentinelOpener(given, createClient),
    });
  }
  if (isNodeRedisCluster(given)) {
    const { createClient } = await loadPackage();
    return templateOf({ address: 'the cluster', isCluster: true, ...clusterOf(given, createClient) });
  }
  const maker = new ClientMaker(given);
  const { keyPrefix = '' } = maker.options;
  return templateOf({ keyPrefix, address: addressOf(maker.options), open: opener(maker) });
}

function ofUrl(url: string, option: string, { createClient, createCluster }: RedisPackage): ClientTemplate {
  const { options, lazy } = optionsOfUrl(url, option);
  return templateOf({
    address: addressOf(options),
    lazy,
    lazyRemedy: 'Add ?lazyConnect=true to the URL to start without it.',
    open: opener(new ClientMaker(createClient(options))),
    clusterBehind: () => createCluster(clusterOptionsOf(options)),
  });
}

function opener(maker: ClientMaker): ClientTemplate['open'] {
  return (purpose: Purpose, wheel: TimerWheel, watch?: ConnectionWatch): OpenClient => ({
    client: new NodeClient({
      wheel,
      demands: { master: watch !== undefined, warn: watch?.warn ?? (() => undefined) },
      make: (signal) => maker.client(purpose, signal),
    }),
    trouble: new NodeRedisTrouble(),
  });
}

function templateOf(parts: Pick<ClientTemplate, 'address'> & Partial<ClientTemplate>): ClientTemplate {
  return {
    client: 'redis',
    isCluster: false,
    keyPrefix: '',
    lazy: false,
    lazyRemedy: 'Check that it is up.',
    // Sentinels are always subscribed to.
    missesFailover: false,
    sendScript,
    open: () => {
      throw new TypeError('a cluster is no single server');
    },
    openCluster: () => {
      throw new TypeError('a single server is no cluster');
    },
    clusterBehind: () => {
      throw new LockConfigurationError('INVALID_OPTION', 'Give the client of the cluster.');
    },
    ...parts,
  };
}

const sendScript: SendScript = (client, how, [script = '', keys, ...rest]) =>
  client[how](script, Number(keys), ...rest);
