import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { openLockService } from '../../libs/distributed-lock/src/startup/open.service.js';
import { readSettings } from '../../libs/distributed-lock/src/startup/settings.reader.js';
import { uniquePrefix } from '../support/services.js';
import { SentinelTopology } from '../support/topology/sentinel.topology.js';
import { sourceOf } from '../support/topology/topology.source.js';

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
});
