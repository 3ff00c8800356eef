import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { ConnectionPair } from '../../libs/distributed-lock/src/connections/connection.pair.js';
import { readTemplate } from '../../libs/distributed-lock/src/connections/template.loader.js';
import { FairScripts } from '../../libs/distributed-lock/src/scripts/fair.scripts.js';
import { ScriptRunner } from '../../libs/distributed-lock/src/script-runner/script.runner.js';
import { lockChannel } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { TimerWheel } from '../../libs/distributed-lock/src/timing/timer.wheel.js';
import { acquired, released, renewed } from '../support/asked.js';
import { scaled } from '../support/slowness.js';
import { CLIENT, FairStage, held, HOLDER } from './fair.stage.js';

const { A, A2, B, J } = HOLDER;
const [S30, S40, S60, HOUR] = [30_000, 40_000, 60_000, 3_600_000];

let stage: FairStage;
let connections: ConnectionPair;
let scripts: FairScripts;
let channel: string;
beforeAll(async () => {
  stage = await FairStage.open(inject('redisUrl'));
  channel = lockChannel(stage.lock);
  const wheel = new TimerWheel();
  connections = new ConnectionPair({
    template: await readTemplate(inject('redisUrl')),
    wheel,
    commandTimeout: scaled(5000),
  });
  await connections.open();
  const runner = new ScriptRunner(connections.commands, wheel, scaled(5000));
  scripts = new FairScripts(runner, { life: S60 });
});
beforeEach(() => stage.clear());
afterAll(async () => {
  await connections.close();
  await stage.close();
});

test('a fair lock is granted, re-entered, lowered and released', async () => {
  expect(await acquired(scripts, stage.lock, A, S60, 1, 0)).toEqual({ kind: 'granted', count: 1 });
  expect(await acquired(scripts, stage.lock, A, S60, 2, S40)).toEqual({ kind: 'granted', count: 2 });
  expect(await released(scripts, stage.lock, A, 1, S60, channel)).toEqual({ kind: 'kept' });
  expect(await released(scripts, stage.lock, A, 0, S60, channel)).toEqual({ kind: 'released', reached: 0 });
  expect(await released(scripts, stage.lock, A, 0, S60, channel)).toEqual({ kind: 'gone' });
  expect(await acquired(scripts, stage.lock, A, S60, 2, S40)).toEqual({ kind: 'lost' });
});

test('waiters are in the keys that Redisson knows, in their order, and are notified on their own channels', async () => {
  await stage.put({ lock: held(J, S30) });
  expect(await acquired(scripts, stage.lock, A, S60, 1, S40)).toMatchObject({ kind: 'busy', holder: J });
  await Promise.all([A2, B].map((holder) => acquired(scripts, stage.lock, holder, S60, 1, S40)));
  expect((await stage.look()).queue?.map(([holder]) => holder)).toEqual([A, A2, B]);
  const told = await stage.toldDuring(async () => {
    expect(await scripts.forceRelease(stage.lock, channel)).toBe(true);
  });
  expect(told).toEqual([A]);
  expect(await scripts.forceRelease(stage.lock, channel)).toBe(false);
});

test('a wait is cut to an hour', async () => {
  await stage.put({ lock: held(J, S30) });
  await acquired(scripts, stage.lock, A, S60, 1, HOUR + 1);
  await acquired(scripts, stage.lock, B, S60, 1, Infinity);
  expect((await stage.look()).waits).toEqual({ [A]: HOUR, [B]: HOUR });
});

test('a heartbeat returns when the next one is due', async () => {
  const heartbeat = () =>
    scripts.heartbeat({ key: stage.lock, channel, client: CLIENT.a, last: 9, live: [1] });
  expect(await heartbeat()).toEqual({ next: -1, holder: undefined });
  await stage.put({ lock: held(J, S30), queue: [[B, S60]] });
  const { next } = await heartbeat();
  expect(next).toBeGreaterThan(S30 / 2);
  expect(next).toBeLessThanOrEqual(S30 + 100);
});

test('a heartbeat removes the waiters of its process that it does not name', async () => {
  for (const holder of [A, A2, B]) await acquired(scripts, stage.lock, holder, S60, 1, S40);
  await scripts.heartbeat({ key: stage.lock, channel, client: CLIENT.a, last: 2, live: [1] });
  expect(await stage.look()).toMatchObject({ lock: held(A, S60), queue: [[B, expect.any(Number)]] });
});

test('the hash is that of a plain lock: it is read and renewed as such', async () => {
  await stage.put({ lock: held(A, S30, 2) });
  expect(await renewed(scripts, stage.lock, A, S60)).toBe(S60);
  expect(await renewed(scripts, stage.lock, B, S60)).toBeUndefined();
  expect(await scripts.inspect(stage.lock, A)).toMatchObject({ isLocked: true, count: 2, holder: A });
  expect(await scripts.inspect(stage.lock, B)).toMatchObject({ isLocked: true, count: 0, holder: A });
});

test('a queue of another type is an error that names its key', async () => {
  await stage.store.redis.set(stage.queue, 'something else');
  await expect(acquired(scripts, stage.lock, A, S60, 1, S40)).rejects.toThrow(
    `WRONGTYPE ${stage.queue} is not a list`,
  );
});
