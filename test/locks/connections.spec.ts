import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { Services } from '../support/services.js';
import { until } from '../support/until.js';
import { ownRedis } from './own.redis.js';
import { RedisView } from './redis.view.js';

const TWO = ['distributed-lock:commands', 'distributed-lock:subscriber'];
const SLOTS = Array.from({ length: 16_384 }, (_slot, index) => index);

const server = ownRedis();
const clusterServer = ownRedis({
  args: ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'],
});
let services: Services;
let view: RedisView;
beforeEach(() => {
  services = new Services(server().url);
  view = new RedisView(server().url);
});
afterEach(async () => {
  view.close();
  await services.close();
});

type Options = Omit<RedisOptions, 'replyMapping'>;

const options = (more: Options = {}): Options => ({
  host: '127.0.0.1',
  port: server().port,
  ...more,
});

/** Takes a lock and lets others wait, wake and take it. */
async function expectToWork(one: LockService, other: LockService): Promise<void> {
  const held = await one.getLock('x').lock();
  expect(await other.getLock('x').tryLock()).toBeNull();
  const waiting = [other.getLock('x').lock(), other.getLock('x').lock({ leaseTime: '5s' })];
  await until('they sleep', async () => (await services.channels()).length > 0);
  expect(await held.unlock()).toBe('released');
  await (await waiting[0])?.unlock();
  expect(await (await waiting[1])?.unlock()).toBe('released');
  await other.getLock('x').using(async () => {
    await other.getLock('x').using(() => undefined);
    expect(await one.getLock('x').remainTimeToLive()).toBeGreaterThan(0);
    expect(await one.getLock('x').forceUnlock()).toBe(true);
  });
}

test('are two for each service, by name, however many locks it holds and waits for', async () => {
  const [one, other] = await Promise.all([services.open(), services.open()]);
  const names = Array.from({ length: 50 }, (_, index) => `x${index}`);
  const held = await Promise.all(names.map((name) => one.getLock(name).lock()));
  const waiting = names.map((name) => other.getLock(name).lock());
  await until('all wait', async () => (await services.channels()).length === 100);
  expect(await view.connections('distributed-lock')).toEqual([...TWO, ...TWO].toSorted());
  await Promise.all(held.map((handle) => handle.unlock()));
  for (const handle of await Promise.all(waiting)) await handle.unlock();
  await one.shutDown();
  expect(await view.connections('distributed-lock')).toEqual(TWO);
});

test.each([
  ['ioredis options', () => options({ connectionName: 'billing' })],
  ['a client', () => new Redis(options({ connectionName: 'billing', lazyConnect: true }))],
  ['a URL', () => `${server().url}?connectionName=billing`],
] as const)('are called after the connection name of %s', async (_kind, source) => {
  const service = await services.open({}, source());
  await service.getLock('x').using(() => undefined);
  await until('both are there', async () => (await view.connections('billing')).length > 0);
  expect(await view.connections('billing')).toContain('billing:commands');
});

test.each([2, 3] as const)('speak RESP%i when the user does', async (protocol) => {
  const source = options({ protocol });
  await expectToWork(await services.open({}, source), await services.open({}, source));
});

test('work whatever else the options say', async () => {
  const source = options({
    maxRetriesPerRequest: null,
    enableOfflineQueue: true,
    enableAutoPipelining: true,
    autoResendUnfulfilledCommands: true,
    autoResubscribe: true,
    readOnly: false,
    stringNumbers: true,
    retryStrategy: () => null,
    keyPrefix: 'app:',
    db: 3,
  });
  await expectToWork(await services.open({}, source), await services.open({}, source));
  const client = new Redis({ ...source, replyMapping: 'resp3' });
  await expectToWork(await services.open({}, client), await services.open({}, client));
  client.disconnect();
});

test('work with a URL that has options of ioredis in its query', async () => {
  const query = 'enableOfflineQueue=true&autoResubscribe=true&maxRetriesPerRequest=20&stringNumbers=true';
  const source = `${server().url}/2?${query}`;
  await expectToWork(await services.open({}, source), await services.open({}, source));
  expect(await view.connections('distributed-lock')).toHaveLength(4);
});

describe("a client of the user's", () => {
  test('is a template: nothing is sent on it, and it is not closed', async () => {
    const client = new Redis(options());
    await client.ping();
    const sent = vi.spyOn(client, 'sendCommand');
    const connected = vi.spyOn(client, 'connect');
    const [one, other] = await Promise.all([services.open({}, client), services.open({}, client)]);
    await expectToWork(one, other);
    await Promise.all([one.shutDown(), other.shutDown()]);
    expect(sent).not.toHaveBeenCalled();
    expect(connected).not.toHaveBeenCalled();
    expect(client.status).toBe('ready');
    expect(await client.ping()).toBe('PONG');
    client.disconnect();
  });

  test('may be closed before the locks are released', async () => {
    const client = new Redis(options());
    await client.ping();
    const service = await services.open({}, client);
    const held = await service.getLock('x').lock();
    await client.quit();
    expect(await held.unlock()).toBe('released');
  });

  test('that was never connected stays so', async () => {
    const client = new Redis(options({ lazyConnect: true }));
    const service = await services.open({}, client);
    await service.getLock('x').using(() => undefined);
    expect(client.status).toBe('wait');
  });

  test('may be a Cluster', async () => {
    const node = clusterServer();
    const nodeView = new RedisView(node.url);
    await nodeView.redis.cluster('ADDSLOTS', ...SLOTS);
    await until('it is up', async () => (await nodeView.redis.cluster('INFO')).includes('cluster_state:ok'));
    const cluster = new Cluster([{ host: '127.0.0.1', port: node.port }]);
    await cluster.ping();
    const theirs = (await nodeView.connections('')).length;
    const service = await services.open({}, cluster);
    const other = await services.open({}, cluster);
    const held = await Promise.all(['a', 'b', '{c}d'].map((name) => service.getLock(name).lock()));
    const waiting = ['a', 'b', '{c}d'].map((name) => other.getLock(name).lock({ waitTime: '5s' }));
    await Promise.all(held.map((handle) => handle.unlock()));
    for (const handle of await Promise.all(waiting)) expect(await handle.unlock()).toBe('released');
    expect(await nodeView.redis.dbsize()).toBe(0);
    await Promise.all([service.shutDown(), other.shutDown()]);
    await until('ours are closed', async () => (await nodeView.connections('')).length === theirs);
    expect(await cluster.ping()).toBe('PONG');
    cluster.disconnect();
    nodeView.close();
  });
});
