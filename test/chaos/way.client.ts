import { Cluster, Redis } from 'ioredis';
import type { RedisWay } from './chaos.types.js';

/** A client on a way, not connected: for the module it is a template. */
export function clientOf(way: RedisWay): Redis | Cluster {
  switch (way.kind) {
    case 'standalone':
      return new Redis(way.url, { lazyConnect: true });
    case 'sentinel':
      return new Redis({
        name: way.name,
        sentinels: way.sentinels.map(({ host, port }) => ({ host, port })),
        natMap: { ...way.natMap },
        failoverDetector: way.failoverDetector ?? true,
        lazyConnect: true,
      });
    case 'cluster':
      return new Cluster(
        way.nodes.map(({ host, port }) => ({ host, port })),
        { natMap: { ...way.natMap }, lazyConnect: true },
      );
  }
}
