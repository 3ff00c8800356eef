import { describe, expect, test } from 'vitest';
import { FakeNode } from './acked.node.fixture.js';
import { ReplicaAcks, type AnswerWatch } from './replica.acks.js';

const GUARD: AnswerWatch = { expect: () => undefined, progress: () => undefined };

function refused(message: string): Error {
  return Object.assign(new Error(message), { name: 'ReplyError' });
}

function acksOf(acks: number | 'majority', warnings: string[] = []): ReplicaAcks {
  return new ReplicaAcks({ acks, timeout: 100 }, (why) => warnings.push(why));
}

describe('the acknowledgement of replicas', () => {
  test.each([
    [1, 1],
    [2, 1],
    [3, 2],
    [4, 2],
    [5, 3],
  ])('a majority with %i replicas are %i of them', async (replicas, needed) => {
    const node = new FakeNode(replicas);
    const acks = acksOf('majority').of('', node, GUARD);
    await acks.untilSendable();
    expect(await acks.join()).toBeUndefined();
    expect(node.waits).toEqual([needed]);
  });

  test('is not waited for on a connection that has ended before it counted its replicas', async () => {
    const node = new FakeNode(1);
    node.status = 'connecting';
    const turn = acksOf(1).of('', node, GUARD).untilSendable();
    node.end();
    await expect(turn).resolves.toBeUndefined();
    await expect(acksOf(1).of('', node, GUARD).untilSendable()).resolves.toBeUndefined();
  });

  test('is waited for after a connection has ended and is made again', async () => {
    const node = new FakeNode(1);
    node.status = 'connecting';
    const acks = acksOf(1).of('', node, GUARD);
    node.end();
    node.status = 'connecting';
    let isTurn = false;
    const turn = acks.untilSendable().then(() => (isTurn = true));
    await new Promise(setImmediate);
    expect(isTurn).toBe(false);
    node.ready();
    await turn;
    expect(await acks.join()).toBeUndefined();
    expect(node.waits).toEqual([1]);
  });

  test('is one WAIT for all grants of one turn of the event loop', async () => {
    const node = new FakeNode(1);
    const acks = acksOf(1).of('', node, GUARD);
    await Promise.all([acks.untilSendable(), acks.untilSendable()]);
    await Promise.all([acks.join(), acks.join()]);
    expect(node.waits).toHaveLength(1);
  });

  test("is requested once at a time: the next turn's request follows the last answer", async () => {
    const node = new FakeNode(1);
    let answer: (reached: number) => void = () => undefined;
    node.acknowledge = () => new Promise((resolve) => (answer = resolve));
    const acks = acksOf(1).of('', node, GUARD);
    await acks.untilSendable();
    const first = acks.join();
    await new Promise(process.nextTick);
    let isTurn = false;
    const turn = acks.untilSendable().then(() => (isTurn = true));
    await new Promise(setImmediate);
    expect(isTurn).toBe(false);
    answer(0);
    await turn;
    expect(await first).toMatchObject({ kind: 'ambiguous', isNotReplicated: true });
  });

  test('is in doubt, and never unsent, when the connection breaks: the script may have run', async () => {
    const node = new FakeNode(1);
    const acks = acksOf(1).of('', node, GUARD);
    await acks.untilSendable();
    node.acknowledge = () =>
      Promise.reject(new Error("Stream isn't writeable and enableOfflineQueue options is false"));
    expect(await acks.join()).toMatchObject({ kind: 'ambiguous', isNotReplicated: false });
  });

  test('counts as missing when WAIT is refused after it was allowed', async () => {
    const node = new FakeNode(1);
    const acks = acksOf(1).of('', node, GUARD);
    await acks.untilSendable();
    node.acknowledge = () => Promise.reject(refused('UNBLOCKED force unblock'));
    expect(await acks.join()).toMatchObject({ kind: 'ambiguous', isNotReplicated: true });
  });

  test('is not needed when no master has ever had a replica, which is logged once', async () => {
    const warnings: string[] = [];
    const acks = acksOf(1, warnings);
    const nodes = [new FakeNode(0), new FakeNode(0)];
    const both = nodes.map((node, at) => acks.of(`${at}`, node, GUARD));
    for (const each of [...both, ...both]) {
      await each.untilSendable();
      expect(await each.join()).toBeUndefined();
    }
    expect(nodes.flatMap(({ waits }) => waits)).toEqual([]);
    expect(warnings).toEqual(['no replica is connected']);
  });

  test('is one at least of a master without a replica, where others have some', async () => {
    const acks = acksOf('majority');
    const [lonely, other] = [new FakeNode(0), new FakeNode(2)];
    await acks.of('other', other, GUARD).untilSendable();
    await acks.of('lonely', lonely, GUARD).untilSendable();
    await acks.of('lonely', lonely, GUARD).join();
    expect(lonely.waits).toEqual([1]);
  });

  test('is not requested from a replica, which takes no scripts either, and nothing is concluded from it', async () => {
    const warnings: string[] = [];
    const node = new FakeNode(0);
    node.replicationInfo = 'role:slave';
    await acksOf(1, warnings).of('', node, GUARD).untilSendable();
    expect(warnings).toEqual([]);
  });

  test('notices a silent server, whether the command was INFO or WAIT', async () => {
    const node = new FakeNode(1);
    let expected = 0;
    const guard: AnswerWatch = { expect: () => (expected += 1), progress: () => (expected -= 1) };
    const acks = acksOf(1).of('', node, guard);
    expect(expected).toBe(1);
    await acks.untilSendable();
    expect(expected).toBe(0);
    node.acknowledge = () => new Promise(() => undefined);
    void acks.join();
    await new Promise(process.nextTick);
    expect(expected).toBe(1);
  });
});
