import { Cluster } from 'ioredis';
import type { RedisSource } from '../../libs/distributed-lock/src/redis-source/redis-source.reader.js';
import { sourceForClient } from '../support/client.choice.js';
import type { RedisWay } from './chaos.types.js';

/** What the module is given for a way: a client that is not connected, or the options of sentinels. */
export function sourceOf(way: RedisWay): RedisSource {
  switch (way.kind) {
    case 'standalone':
      return sourceForClient(way.url);
    case 'sentinel':
      return sourceForClient({
        name: way.name,
        sentinels: way.sentinels.map(({ host, port }) => ({ host, port })),
        natMap: { ...way.natMap },
        failoverDetector: way.failoverDetector ?? true,
        lazyConnect: true,
      });
    case 'cluster':
      return sourceForClient(
        new Cluster(
          way.nodes.map(({ host, port }) => ({ host, port })),
          { natMap: { ...way.natMap }, lazyConnect: true },
        ),
      );
  }
}
