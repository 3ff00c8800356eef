import { setTimeout as sleep } from 'node:timers/promises';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { Logger } from '@nestjs/common';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { openLockService } from '../../libs/distributed-lock/src/startup/open.service.js';
import { readSettings } from '../../libs/distributed-lock/src/startup/settings.reader.js';
import { TcpProxy } from '../support/faults/tcp.proxy.js';
import { uniquePrefix } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { SentinelTopology } from '../support/topology/sentinel.topology.js';
import { sourceOf } from '../support/topology/topology.source.js';
import { until } from '../support/until.js';

describe('a master that sentinels know of', () => {
  let topology: SentinelTopology;
  let services: LockService[];
  beforeAll(async () => {
    topology = await SentinelTopology.start();
  });
  afterAll(async () => {
    await topology.stop();
  });
  beforeEach(() => {
    services = [];
  });
  afterEach(async () => {
    await Promise.all(services.map((service) => service.shutDown()));
  });

  async function open(failoverDetector: boolean): Promise<LockService> {
    const settings = readSettings({ namePrefix: uniquePrefix(), shutdownTimeout: 200 });
    const service = await openLockService(settings, sourceOf(topology.describe, { failoverDetector }));
    services.push(service);
    return service;
  }

  test('is warned of at boot, once, when its replacement would go unnoticed', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    await open(true);
    expect(warn).not.toHaveBeenCalled();
    await open(false);
    expect(warn.mock.calls).toEqual([[expect.stringContaining('Set failoverDetector: true')]]);
  });

  test('ends no process when it shuts down while a connection to a sentinel is made again', async () => {
    const rejections: unknown[] = [];
    const note = (reason: unknown) => rejections.push(reason);
    process.on('unhandledRejection', note);
    const proxy = await TcpProxy.open(topology.sentinels[0]?.port ?? 0);
    onTestFinished(async () => {
      process.off('unhandledRejection', note);
      await proxy.close();
    });
    // One of each of the two connections.
    let [subscribed, again] = [0, 0];
    proxy.judge(({ name }) => {
      if (name === 'SUBSCRIBE') subscribed += 1;
      return 'pass';
    });
    const { hostname: host, port } = new URL(proxy.url);
    const { name: master = '' } = topology.describe;
    const settings = readSettings({ namePrefix: uniquePrefix(), shutdownTimeout: 200 });
    const service = await openLockService(settings, {
      sentinels: [{ host, port: Number(port) }],
      name: master,
      updateSentinels: false,
      failoverDetector: true,
      sentinelReconnectStrategy: () => 20,
    });
    services.push(service);
    await until('the failover detectors have subscribed', () => subscribed === 2);
    proxy.judge(({ name }) => {
      if (name !== 'SUBSCRIBE') return 'pass';
      again += 1;
      return { before: new Promise(() => undefined) };
    });
    proxy.cut();
    await until('they subscribe again', () => again === 2);
    await service.shutDown();
    await until('the connections to the sentinel are gone', () => proxy.connections === 0);
    await sleep(scaled(100));
    expect(rejections).toEqual([]);
  });
});
