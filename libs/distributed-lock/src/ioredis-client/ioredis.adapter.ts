import { Cluster, Redis } from 'ioredis';
import type { OpenCluster } from '../client-port/cluster.map.js';
import type { ConnectionWatch, OpenClient, Purpose } from '../client-port/open.client.js';
import type { ClientTemplate } from '../redis-source/client.template.js';
import type { IoredisSource } from '../redis-source/redis-source.reader.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import { readFactory, type ClientFactory } from './client.factory.js';
import { HandshakeCheck } from './handshake.check.js';
import { IoredisClusterMap } from './ioredis.cluster.map.js';
import { IoredisTrouble } from './ioredis.trouble.js';
import { watchNodes } from './node.watch.js';
import { sendScript } from './script.sender.js';
import { watchSentinels } from './sentinel.watch.js';

/**
 * Reads a source that was checked. Clients of ioredis satisfy the port themselves; this adapter sets their options, and reads what they do
 * not report.
 * @throws LockConfigurationError `INVALID_OPTION` for a client whose `duplicate()` is not that of ioredis
 */
export function readIoredis(given: IoredisSource): ClientTemplate {
  return templateOf(readFactory(given), () => clusterBehind(given));
}

/** @param behind see {@link ClientTemplate.clusterBehind} */
export function templateOf(factory: ClientFactory, behind: ClientTemplate['clusterBehind']): ClientTemplate {
  const { isCluster, keyPrefix, lazy, address, missesFailover } = factory;
  return {
    ...{ client: 'ioredis', isCluster, keyPrefix, lazy, address, missesFailover },
    lazyRemedy: 'Set lazyConnect: true in the redis options to start without it.',
    sendScript,
    open: (purpose, _wheel, watch) => open(factory, purpose, watch),
    openCluster: (wheel, watch) => openCluster(factory, wheel, watch),
    clusterBehind: behind,
  };
}

function open({ create, resp3 }: ClientFactory, purpose: Purpose, watch?: ConnectionWatch): OpenClient {
  const client = create(purpose);
  if ('nodes' in client) throw new TypeError('a cluster is no single server');
  const trouble = new IoredisTrouble();
  client.on('sentinelError', (error: unknown) => trouble.recordSentinel(error));
  if (watch === undefined) return { client, trouble };
  HandshakeCheck.on(client, { master: true, resp3 }, watch.warn);
  watchSentinels(client, trouble, (why) => watch.warn('sentinel-away', why));
  return { client, trouble };
}

function openCluster(
  { create, nodeOptions, resp3 }: ClientFactory,
  wheel: TimerWheel,
  watch?: ConnectionWatch,
): OpenCluster {
  const client = create('commands');
  if (!('nodes' in client)) throw new TypeError('a single server is no cluster');
  const trouble = new IoredisTrouble();
  const map = new IoredisClusterMap(client, trouble, nodeOptions);
  if (watch !== undefined) watchNodes(client, trouble, { resp3, wheel, warn: watch.warn });
  return { client, trouble, map };
}

/** The cluster that has the node of a URL. */
function clusterBehind(url: IoredisSource): Cluster {
  const reader = new Redis(String(url), { lazyConnect: true });
  reader.disconnect();
  const { host, port, username, password, tls } = reader.options;
  const login = { ...(username != null && { username }), ...(password != null && { password }) };
  return new Cluster([{ host: host ?? 'localhost', port: port ?? 6379 }], {
    lazyConnect: true,
    redisOptions: { ...login, ...(tls !== undefined && { tls }) },
    // The certificate is for the name that the node reports, not for the address behind it.
    ...(tls !== undefined && { dnsLookup: (name, callback) => callback(null, name) }),
  });
}
