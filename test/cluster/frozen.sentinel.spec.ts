import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { openLockService } from '../../libs/distributed-lock/src/startup/open.service.js';
import { readSettings } from '../../libs/distributed-lock/src/startup/settings.reader.js';
import { uniquePrefix } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { SentinelTopology } from '../support/topology/sentinel.topology.js';
import { sourceOf } from '../support/topology/topology.source.js';
import { until } from '../support/until.js';

/** One sentinel may take so long, in ms, and then the next one is asked. */
const PATIENCE = 1000;

// A sentinel that is stopped accepts a connection, and never answers.
describe('one of three sentinels that is frozen', { timeout: scaled(60_000) }, () => {
  let topology: SentinelTopology;
  beforeAll(async () => {
    topology = await SentinelTopology.start();
  }, scaled(60_000));
  afterAll(() => topology.stop());

  async function open(): Promise<LockService> {
    const settings = readSettings({ namePrefix: uniquePrefix(), shutdownTimeout: 200 });
    return await openLockService(settings, sourceOf(topology.describe));
  }

  test('keeps no application from its start, and from its end', async () => {
    const [frozen] = topology.sentinels;
    await frozen?.pause();
    const from = performance.now();
    const service = await open().finally(() => frozen?.resume());
    await service.getLock('a').using(() => undefined);
    // The connection for commands, and that of the subscriber.
    expect(performance.now() - from).toBeLessThan(2 * PATIENCE + scaled(3000));
    const closing = performance.now();
    await service.shutDown();
    expect(performance.now() - closing).toBeLessThan(scaled(2000));
  });

  test('keeps no application from its master after a lost connection', async () => {
    const service = await open();
    await service.getLock('a').using(() => undefined);
    const [frozen] = topology.sentinels;
    await frozen?.pause();
    try {
      const { admin } = await topology.master();
      await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await until(
        'a lock is granted again',
        async () =>
          (
            await service
              .getLock('a')
              .tryLock()
              .catch(() => null)
          )?.unlock() !== undefined,
        10_000,
      );
    } finally {
      await frozen?.resume();
    }
    expect(await service.getLock('a').isLocked()).toBe(false);
    await service.shutDown();
  });
});
