import type { NodeAddressMap, SentinelNode } from '../redis-source/node-redis.source.js';

/** An address that servers report, as this process reaches it. */
export function mapAddress({ host, port }: SentinelNode, map: NodeAddressMap | undefined): SentinelNode {
  const address = `${host}:${port}`;
  const mapped = typeof map === 'function' ? map(address) : map?.[address];
  return mapped ?? { host, port };
}

/** Splits `host:port`; the host may be an IPv6 address. */
export function splitAddress(address: string): SentinelNode {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
}
