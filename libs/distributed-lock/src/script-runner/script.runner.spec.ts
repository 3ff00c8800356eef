import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fakeRunner } from '../../../../test/support/fake.runner.js';
import { acquired, released } from '../../../../test/support/asked.js';
import type { Command, FakeClient } from '../../../../test/support/fake.client.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { ReleaseReply } from '../replies/lock.replies.js';
import { promisedLate } from '../replies/reply.callback.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import { ReentrantScripts } from '../scripts/reentrant.scripts.js';

let client: FakeClient;
let wheel: TimerWheel;
let scripts: ReentrantScripts;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const fake = fakeRunner();
  ({ client, wheel } = fake);
  scripts = new ReentrantScripts(fake.runner);
});
afterEach(() => {
  vi.useRealTimers();
});

const acquire = () => acquired(scripts, 'lock', 'holder', 10_000, 1);
const release = () => released(scripts, 'lock', 'holder', 0, 1, 'channel');
const turn = () => new Promise(setImmediate);

test('a client that throws, as an instrumented one may, fails its call at once and no other', async () => {
  const send = client.evalsha.bind(client);
  client.evalsha = () => {
    client.evalsha = send;
    throw new Error('watched badly');
  };
  const asked = acquire();
  const freed = release();
  await expect(asked).rejects.toThrow('watched badly');
  expect(client.take('evalsha').map((call) => call.answer(1))).toHaveLength(1);
  expect(await freed).toEqual({ kind: 'released', reached: 0 });
  void release().catch(() => undefined);
  await turn();
  expect(client.take('evalsha')).toHaveLength(1);
});

test('an operation that is outdated while it waits for a connection is not sent, and leaves no deadline', async () => {
  client.cut();
  const failed = vi.fn<(error: unknown) => void>();
  scripts.renew('lock', 'holder', 1000, { answered: () => undefined, failed, isOutdated: () => true });
  await turn();
  client.ready();
  await turn();
  expect(client.take('evalsha')).toEqual([]);
  expect(failed).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ kind: 'unsent' }), undefined);
  expect(wheel.size).toBe(0);
});

test('operations of one script travel together, each answered by its own element of the reply', async () => {
  const replies = Promise.all([acquire(), acquire(), release()]);
  await turn();
  const [acquires, releases] = client.take('evalsha');
  acquires?.answer([1, [0, 500, 'somebody']]);
  releases?.answer([[1, 2]]);
  expect(await replies).toEqual([
    { kind: 'granted', count: 1 },
    { kind: 'busy', ttl: 500, holder: 'somebody' },
    { kind: 'released', reached: 2 },
  ]);
  expect(wheel.size).toBe(0);
});

test('an operation after a single one waits for those requested beside it, and not for the end of the turn', async () => {
  const moment = () => Promise.resolve();
  const first = acquire();
  await moment();
  expect(client.take('evalsha')).toHaveLength(0);
  await turn();
  client.take('evalsha')[0]?.answer(1);
  await first;
  const second = Promise.all([acquire(), acquire()]);
  await moment();
  const [both, ...none] = client.take('evalsha');
  expect(none).toHaveLength(0);
  expect(both?.args.slice(1, 6)).toEqual(['4', 'lock', '{lock}:waiting', 'lock', '{lock}:waiting']);
  both?.answer(1);
  await second;
  // There were two, so this one waits for others; the next one does while its answer is on its way.
  for (let time = 0; time < 2; time += 1) {
    void acquire().catch(() => undefined);
    await moment();
    expect(client.take('evalsha')).toHaveLength(0);
    await turn();
    expect(client.take('evalsha')).toHaveLength(1);
  }
});

test('one 1 answers all operations of a call', async () => {
  const replies = Promise.all([acquire(), acquire(), acquire()]);
  await turn();
  client.take('evalsha')[0]?.answer(1);
  expect(await replies).toEqual([1, 2, 3].map(() => ({ kind: 'granted', count: 1 })));
});

test('operations travel with those of the same lease, however many leases there are', async () => {
  const leases = Array.from({ length: 100 }, (_, index) => 1000 + index);
  const replies = Promise.all(
    [...leases, ...leases].map((lease) => acquired(scripts, 'lock', 'a', lease, 1)),
  );
  await turn();
  const calls = client.take('evalsha');
  expect(calls.map(({ args }) => args.slice(1))).toEqual(
    leases.map((lease) => [
      ...['4', 'lock', '{lock}:waiting', 'lock', '{lock}:waiting'],
      ...[`${lease}`, '1', '0', 'a', 'a'],
    ]),
  );
  for (const call of calls) call.answer(1);
  expect(new Set((await replies).map(({ kind }) => kind))).toEqual(new Set(['granted']));
});

test('an operation without a connection is not sent after its caller got the error', async () => {
  client.cut();
  const late = acquire();
  late.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(999);
  expect(wheel.size).toBe(1);
  await vi.advanceTimersByTimeAsync(2);
  await expect(late).rejects.toThrow('no connection within 1000 ms');
  expect(wheel.size).toBe(0);
  client.ready();
  void release().catch(() => undefined);
  await turn();
  expect(client.take('evalsha')).toHaveLength(1);
});

test('callers that gave up learn of a late refusal of the whole call, and are not sent again', async () => {
  const failures = Promise.all(
    [acquire(), acquire()].map((asked) => asked.catch((error: unknown) => RedisFailure.from(error))),
  );
  await turn();
  const [call] = client.take('evalsha');
  await vi.advanceTimersByTimeAsync(1001);
  const late = await failures;
  expect(late).toMatchObject([{ kind: 'ambiguous' }, { kind: 'ambiguous' }]);
  call?.fail(Object.assign(new Error('NOPERM no access to one of the keys'), { name: 'ReplyError' }));
  await Promise.all(late.map((failure) => (failure instanceof RedisFailure ? failure.settled : undefined)));
  await turn();
  expect(client.take('evalsha')).toEqual([]);
});

test('an answer that comes late is read as any other', async () => {
  const answers: unknown[] = [];
  const answerLate = async (answer: (call: Command | undefined) => void) => {
    const asked = acquire().catch((error: unknown) => RedisFailure.from(error));
    await turn();
    const [call] = client.take('evalsha');
    await vi.advanceTimersByTimeAsync(1001);
    const failure = await asked;
    answer(call);
    answers.push(failure instanceof RedisFailure ? await failure.settled : failure);
  };
  for (const row of [1, [0, 500, 'somebody'], [-1, 'OOM used memory', 'none'], 'nonsense'])
    await answerLate((call) => call?.answer([row]));
  await answerLate((call) => call?.fail(new Error('Connection is closed.')));
  expect(answers).toMatchObject([
    { reply: { kind: 'granted', count: 1 } },
    { reply: { kind: 'busy', ttl: 500, holder: 'somebody' } },
    { kind: 'refused', code: 'OOM' },
    { kind: 'refused' },
    { kind: 'ambiguous' },
  ]);
});

test('what no caller waits for is answered late, too, or fails late', async () => {
  const command = { key: 'lock', holder: 'holder', count: 0, lease: 1, channel: 'channel' };
  const freed = () => promisedLate<ReleaseReply>((callback) => scripts.release(command, callback));
  const ends = Promise.allSettled([freed(), freed()]);
  await turn();
  const [call] = client.take('evalsha');
  await vi.advanceTimersByTimeAsync(1001);
  await turn();
  call?.answer([
    [1, 0],
    [-1, 'BUSY a script', 'none'],
  ]);
  expect(await ends).toMatchObject([
    { value: { kind: 'released', reached: 0 } },
    { reason: { kind: 'refused', code: 'BUSY' } },
  ]);
});
