import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Services } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { openAcked, ReplicaStage, TIMEOUT } from './replica.stage.js';

let stage: ReplicaStage;
let services: Services;

async function start(replicas: number): Promise<void> {
  stage = await ReplicaStage.start(replicas);
  services = stage.services();
  await stage.complete(services);
}

beforeEach(() => {
  vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
});

afterEach(async () => {
  await stage.resume();
  await services.close();
  await stage.stop();
});

/** How often the master was asked to wait. */
async function waits(): Promise<number> {
  const stats = await services.admin.info('commandstats');
  return Number(/cmdstat_wait:calls=(\d+)/.exec(stats)?.[1] ?? 0);
}

function warnings(): string[] {
  return vi.mocked(Logger.prototype.warn).mock.calls.map(([line]) => String(line));
}

describe('the waits for replicas', () => {
  test('are shared by all that is granted in one turn, and by what comes while one is under way', async () => {
    await start(1);
    const service = await openAcked(services);
    await service.getLock('first').using(() => undefined);
    const before = await waits();
    const locks = Array.from({ length: 50 }, (_, index) => service.getLock(`lock-${index}`));
    const handles = await Promise.all(locks.map((lock) => lock.lock()));
    expect((await waits()) - before).toBeLessThanOrEqual(2);
    await Promise.all(handles.map((handle) => handle.unlock()));

    await stage.pause();
    const began = performance.now();
    const first = service.getLock('a').tryLock();
    await until('it waits', async () => /^id=.* cmd=wait/m.test(String(await services.admin.client('LIST'))));
    const rest = locks.map((lock) => lock.tryLock());
    const refused = await Promise.allSettled([first, ...rest]);
    expect(refused.every(({ status }) => status === 'rejected')).toBe(true);
    // One after the other, they would take 51 times as long.
    expect(performance.now() - began).toBeLessThan(4 * TIMEOUT);
  });

  test('cost nothing where the option is not set', async () => {
    await start(1);
    const before = await waits();
    const service = await services.open();
    await service.getLock('x').using(() => undefined);
    expect(await waits()).toBe(before);
    expect(warnings()).toEqual([]);
  });

  test('follow a script that the server has to learn first', async () => {
    await start(1);
    const service = await openAcked(services);
    await service.getLock('x').using(() => undefined);
    await services.admin.script('FLUSH');
    const handle = await service.getLock('x').tryLock();
    await handle?.unlock();
    await services.admin.script('FLUSH');
    await stage.pause();
    await expect(service.getLock('x').tryLock()).rejects.toMatchObject({ code: 'NOT_REPLICATED' });
  });

  test('are left out, with one warning at boot, where there is no replica', async () => {
    await start(0);
    const service = await openAcked(services);
    await until('it is told', () => warnings().length > 0);
    await service.getLock('x').using(() => undefined);
    expect(warnings()).toEqual([expect.stringContaining('no replica is connected')]);
    // A replica that comes later is found when the connection is made anew.
    await stage.follow();
    await stage.complete(services);
    await services.admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await stage.pause();
    const refused = async () =>
      await service
        .getLock('y')
        .using(() => undefined)
        .catch((error: unknown) => error);
    await expect.poll(refused, { timeout: scaled(5000) }).toMatchObject({ code: 'NOT_REPLICATED' });
    expect(warnings().filter((line) => line.includes('no replica is connected'))).toHaveLength(1);
  });

  test('are left out, with one warning at boot, where the user may not wait', async () => {
    await start(1);
    await services.admin.call('ACL', 'SETUSER', 'app', 'on', '>secret', '~*', '&*', '+@all', '-wait');
    const url = new URL(stage.master.url);
    const service = await services.open(
      { replication: { acks: 'majority' } },
      { host: url.hostname, port: Number(url.port), username: 'app', password: 'secret' },
    );
    await until('it is told', () => warnings().length > 0);
    await service.getLock('x').using(() => undefined);
    expect(warnings()).toEqual([expect.stringMatching(/NOPERM.*wait.*Add replicas/)]);
  });

  test('a majority is one of the most replicas that there were, also when one has gone', async () => {
    await start(3);
    const service = await openAcked(services, {}, 'majority');
    await service.getLock('x').using(() => undefined);
    // Two of three, with the master three of four copies.
    await stage.replicas[0]?.kill();
    await service.getLock('x').using(() => undefined);
    await stage.replicas[1]?.kill();
    await expect(service.getLock('x').tryLock()).rejects.toThrow('1 of 2 required replicas');
  });
});
