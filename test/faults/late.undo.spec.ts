import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Lock } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { cutBefore, holdReply, swallowAfter } from '../support/faults/ambush.js';
import { FaultStage } from '../support/faults/fault.stage.js';
import type { TcpProxy } from '../support/faults/tcp.proxy.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';

/** Something that frees the lock later than it was meant to. */
interface Release {
  /** What the caller gets. */
  send(): Promise<unknown>;
  readonly expected: unknown;
}

let stage: FaultStage;

beforeAll(async () => {
  stage = await FaultStage.own();
});
beforeEach(() => stage.admin.flushall());
afterAll(() => stage.close());

test.each<{ readonly name: string; readonly of: (service: LockService) => Lock }>([
  { name: 'left', of: (service) => service.getLock('left') },
  { name: 'once', of: (service) => service.getNonReentrantLock('once') },
])(
  'a process that gives back a late grant is the guard of the next one, though its place has ended meanwhile ($name)',
  { timeout: scaled(40_000) },
  async ({ name, of }) => {
    const places = () => stage.admin.zrange(`{${stage.key(name)}}:waiting`, '(0', '+inf', 'BYSCORE');
    const [wire, nextWire] = [await stage.proxy(), await stage.proxy()];
    const [holder, service, next] = await Promise.all([
      stage.open(),
      stage.open({ commandTimeout: scaled(10_000) }, wire),
      stage.open({}, nextWire),
    ]);
    const hold = await of(holder).lock();
    const leaving = new AbortController();
    const left = of(service)
      .lock({ signal: leaving.signal })
      .catch((error: unknown) => error);
    await until('it has a place', async () => (await places()).length === 1);
    const grant = holdReply(wire, 'acquire');
    await hold.unlock();
    await grant.caught;
    // Until then it looks after the process that it has notified, and so after the next one.
    await holder.shutDown();

    const waiting = of(next).lock({ waitTime: scaled(10_000) });
    await until('the next process has a place', async () => (await places()).length === 1);
    const [place] = await places();
    // It does not come when it is notified, as if it were stopped.
    nextWire.blackHole();
    leaving.abort();
    expect(await left).toBe(leaving.signal.reason);
    const release = holdReply(wire, 'release');
    grant.letGo();
    await release.caught;
    await until('its own place has ended', () => service.engine.places.byLock.size === 0);
    expect(await places()).toEqual([place]);

    release.letGo();
    // No process is a listener of the queue that would find the free lock after 3 s.
    await until('the next process has lost its place', async () => (await places()).length === 0, 2000);
    nextWire.restore();
    nextWire.cut();
    await (await waiting).unlock();
  },
);

test.each<{
  readonly name: string;
  readonly begin: (service: LockService, wire: TcpProxy) => Promise<Release>;
}>([
  {
    name: 'a release that reaches Redis when it is repeated',
    async begin(service, wire) {
      const hold = await service.getLock('late').lock();
      return {
        async send() {
          const cut = cutBefore(wire, 'release');
          const freed = hold.unlock();
          await cut;
          return await freed;
        },
        expected: 'released',
      };
    },
  },
  {
    name: 'the undo of a grant whose answer was lost',
    async begin(service, wire) {
      const leaving = new AbortController();
      const swallowed = swallowAfter(wire, 'acquire');
      const left = service
        .getLock('late')
        .lock({ signal: leaving.signal })
        .catch((error: unknown) => error);
      await swallowed;
      return {
        async send() {
          leaving.abort('given up');
          const reason = await left;
          wire.restore();
          wire.cut();
          return reason;
        },
        expected: 'given up',
      };
    },
  },
])('a process is the guard of the next one after $name', { timeout: scaled(40_000) }, async ({ begin }) => {
  const places = () => stage.admin.zrange(`{${stage.key('late')}}:waiting`, '(0', '+inf', 'BYSCORE');
  const [wire, nextWire] = [await stage.proxy(), await stage.proxy()];
  const [service, next] = await Promise.all([
    stage.open({ commandTimeout: scaled(10_000) }, wire),
    stage.open({}, nextWire),
  ]);
  const release = await begin(service, wire);
  const waiting = next.getLock('late').lock({ waitTime: scaled(20_000) });
  await until('the next process has a place', async () => (await places()).length === 1);
  // It does not come when it is notified, as if it were stopped.
  nextWire.blackHole();
  expect(await release.send()).toBe(release.expected);
  await until('the next process has lost its place', async () => (await places()).length === 0, 2000);
  nextWire.restore();
  nextWire.cut();
  await (await waiting).unlock();
});
