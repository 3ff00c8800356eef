import { Redis, type RedisOptions } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { exercise, serverOf } from '../clients/lock.exercise.js';
import { Services } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { SentinelTopology } from '../support/topology/sentinel.topology.js';

let topology: SentinelTopology;
let services: Services;
beforeAll(async () => {
  topology = await SentinelTopology.start();
});
afterAll(async () => {
  await topology.stop();
});
beforeEach(async () => {
  const [master] = await topology.masters();
  if (master === undefined) throw new Error('there is no master');
  services = new Services(`redis://127.0.0.1:${master.address.port}`);
});
afterEach(() => services.close());

type Options = Omit<RedisOptions, 'replyMapping'>;

const OPTIONS: readonly (readonly [name: string, options: Options])[] = [
  ['failoverDetector', { failoverDetector: true }],
  ['sentinelReconnectStrategy', { failoverDetector: true, sentinelReconnectStrategy: () => null }],
  ['sentinelRetryStrategy', { sentinelRetryStrategy: () => null }],
  ['sentinelCommandTimeout', { sentinelCommandTimeout: 30_000 }],
  ['sentinelMaxConnections', { sentinelMaxConnections: 1 }],
  ['updateSentinels', { updateSentinels: false }],
  ['enableTLSForSentinelMode', { enableTLSForSentinelMode: false }],
  ['preferredSlaves', { preferredSlaves: [{ ip: '127.0.0.1', port: '1' }] }],
  ['natMap', { natMap: () => null }],
  ['retryStrategy', { retryStrategy: () => null }],
  ['reconnectOnError', { reconnectOnError: () => 2 }],
  ['commandTimeout', { commandTimeout: 1 }],
  ['protocol', { protocol: 2 }],
];

test.each(OPTIONS)(
  'a lock is acquired on a master that sentinels know, whatever %s is',
  { timeout: scaled(20_000) },
  async (_, more) => {
    const { nodes, name } = topology.describe;
    const options: Options = { sentinels: [...nodes], name, failoverDetector: true, ...more };
    const client = new Redis({ ...options, lazyConnect: true });
    for (const source of [options, client]) {
      const [one, other] = [await services.open({}, source), await services.open({}, source)];
      await exercise(one, other, serverOf(services));
    }
    expect(client.status).toBe('wait');
  },
);
