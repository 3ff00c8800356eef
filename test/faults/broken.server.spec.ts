import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { Latch } from '../support/faults/ambush.js';
import { FaultStage } from '../support/faults/fault.stage.js';

let stage: FaultStage;

beforeEach(async () => {
  stage = await FaultStage.own();
});
afterEach(async () => {
  try {
    await stage.expectNothingLeft();
  } finally {
    await stage.close();
  }
});

/** The keys of locks whose names begin with "mine", and those beside them. */
const mine = () => [`~${stage.key('mine')}*`, `~{${stage.key('mine')}*`];

test('a key that the user has no permission for fails its own caller only', async () => {
  await stage.admin.acl('SETUSER', 'limited', 'on', '>pw', ...mine(), '&*', '+@all');
  const service = await stage.open({}, { port: stage.port, username: 'limited', password: 'pw' });
  const names = Array.from({ length: 40 }, (_, index) => `${index % 10 === 3 ? 'theirs' : 'mine'}-${index}`);
  const ends = await Promise.allSettled(names.map((name) => service.getLock(name).lock()));
  const released = ends.map((end) =>
    end.status === 'fulfilled' ? end.value.unlock() : (end.reason as { code: string }).code,
  );
  const expected = names.map((name) => (name.startsWith('mine') ? 'released' : 'REJECTED_BY_REDIS'));
  expect(await Promise.all(released)).toEqual(expected);
});

test('a permission taken away while a lock is held fails its renewal only, until the deadline', async () => {
  await stage.admin.acl('SETUSER', 'limited', 'on', '>pw', '~*', '&*', '+@all');
  const via = { port: stage.port, username: 'limited', password: 'pw' };
  const service = await stage.open({ lockWatchdogTimeout: 900 }, via);
  const [lost, kept] = await Promise.all(['theirs', 'mine'].map((name) => service.getLock(name).lock()));
  await stage.admin.acl('SETUSER', 'limited', 'resetkeys', ...mine());
  await until('the one is lost', () => lost?.signal.aborted === true);
  const start = performance.now();
  await until('a whole lease is over', () => performance.now() - start > 1000);
  expect(kept?.isHeld).toBe(true);
  expect(await kept?.unlock()).toBe('released');
  expect(await lost?.unlock()).toBe('lost');
});

test('SCRIPT FLUSH at any time harms no caller', { timeout: scaled(30_000) }, async () => {
  const services = await Promise.all([stage.open({ lockWatchdogTimeout: 600 }), stage.open()]);
  const register = { value: 0, inside: 0 };
  let begun = 0;
  let flushes = 0;
  const user = async (service: LockService) => {
    while (begun < 2000) {
      begun += 1;
      await service.getLock('x').using(async () => {
        expect((register.inside += 1)).toBe(1);
        const read = register.value;
        if (begun % 3 === 0) await service.getLock('x').using(() => undefined);
        else await Promise.resolve();
        register.value = read + 1;
        register.inside -= 1;
      });
    }
  };
  const over = new AbortController();
  const flushing = (async () => {
    while (!over.signal.aborted) {
      await stage.admin.script('FLUSH');
      flushes += 1;
    }
  })();
  try {
    await Promise.all(services.flatMap((service) => [1, 2, 3, 4].map(() => user(service))));
  } finally {
    over.abort();
    await flushing;
  }
  expect(register.value).toBe(begun);
  expect(flushes).toBeGreaterThan(100);
});

describe('a message of a release that is lost', () => {
  test('because the connection that listens was cut is made good when it is back', async () => {
    const wire = await stage.proxy();
    const [service, other] = [await stage.open({}, wire), await stage.open()];
    const held = await other.getLock('x').lock();
    const waiting = Promise.all(
      [service.getLock('x').lock(), service.getLock('x').lock()].map(async (one) => (await one).unlock()),
    );
    await until('it sleeps', async () => (await stage.sleepers('x')) === 1);
    // The subscriber's handshake is kept back, so that nobody can hear the release.
    const latch = new Latch();
    wire.judge(({ name }) => (name === 'HELLO' ? { before: latch.opened } : 'pass'));
    wire.cut();
    await until('nobody listens', async () => (await stage.sleepers('x')) === 0);
    expect(await held.unlock()).toBe('released');
    const start = performance.now();
    latch.open();
    expect(await waiting).toEqual(['released', 'released']);
    expect(performance.now() - start).toBeLessThan(scaled(1000));
  });

  test('among other messages than a release wakes no waiter, and those messages do no harm', async () => {
    const [service, other] = [await stage.open(), await stage.open()];
    const held = await other.getLock('x').lock();
    const waiting = service.getLock('x').lock();
    await until('it sleeps', async () => (await stage.sleepers('x')) === 1);
    const { channel } = service.engine.names.target(service.engine.context.kinds.reentrant, 'x');
    for (const text of ['2', '-1', 'nonsense', '', '99999999999999999999', '0', '1'])
      await stage.admin.publish(channel, text);
    await stage.admin.publish(channel, Buffer.from([0xff, 0x00, 0x0a]));
    expect(await other.getLock('x').isLocked()).toBe(true);
    await held.unlock();
    expect(await (await waiting).unlock()).toBe('released');
  });
});

test('a demoted master that keeps its connections is left for the one that the address leads to by now', async () => {
  const heir = await FaultStage.own();
  const wire = await stage.proxy();
  try {
    const service = await stage.open({}, wire);
    await service.getLock('x').using(() => undefined);
    await stage.admin.replicaof('127.0.0.1', heir.port);
    wire.port = heir.port;
    const start = performance.now();
    const handle = await service.getLock('x').lock();
    expect(performance.now() - start).toBeLessThan(scaled(2000));
    expect(await heir.admin.hgetall(stage.key('x'))).toEqual({ [handle.holder]: '1' });
    expect(await handle.unlock()).toBe('released');
  } finally {
    await stage.admin.replicaof('NO', 'ONE');
    // Its connections lead somewhere again: one that is away is tried again and again.
    wire.port = stage.port;
    await heir.close();
  }
});
