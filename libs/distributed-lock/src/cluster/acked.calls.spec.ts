import { expect, test } from 'vitest';
import { AckedCalls } from './acked.calls.js';
import { FakeNode } from './acked.node.fixture.js';
import type { ClusterCalls } from './cluster.calls.js';
import { ReplicaAcks } from './replica.acks.js';

test('a script waits for its turn on the connection that has its key now', async () => {
  const [lost, next] = [new FakeNode(1), new FakeNode(1)];
  lost.status = 'connecting';
  let answer: (reached: number) => void = () => undefined;
  next.acknowledge = () => new Promise((resolve) => (answer = resolve));
  const acks = new ReplicaAcks({ acks: 1, timeout: 100 }, () => undefined);
  const watch = { expect: () => undefined, progress: () => undefined };
  let owner = lost;
  const cluster = { ownerOf: () => ({ key: 'node', client: owner }) };
  const calls = new AckedCalls({
    acks,
    cluster: cluster as unknown as ClusterCalls,
    guardOf: () => watch,
  });
  let isTurn = false;
  const turn = calls.untilSendable('key').then(() => (isTurn = true));
  owner = next;
  const other = acks.of('node', next, watch);
  await other.untilSendable();
  const verdict = other.join();
  await new Promise(setImmediate);
  lost.end();
  await new Promise(setImmediate);
  expect(isTurn).toBe(false);
  answer(1);
  await Promise.all([verdict, turn]);
});
