import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Heartbeat } from '../contracts/heartbeat.contract.js';
import { NoticeBoard, type Notice } from '../events/notice.board.js';
import { TimerWheel } from '../timing/timer.wheel.js';
import { HeartbeatSender, JobHeartbeat } from './heartbeat.js';

const RUN = { tick: 1000, attempt: 1 };

const sent: Heartbeat[] = [];
let notices: Notice[];
let sender: HeartbeatSender;
let job: JobHeartbeat;
/** How the target answers a state. */
let answers: Partial<Record<Heartbeat['state'], () => Promise<void>>>;

const broken = async (): Promise<void> => {
  throw new Error('broken');
};

beforeEach(() => {
  sent.length = 0;
  notices = [];
  answers = {};
  const board = new NoticeBoard();
  board.listen((notice) => void notices.push(notice));
  sender = new HeartbeatSender(
    { notices: board, outside: (call) => call(), wheel: new TimerWheel() },
    'host:1:client',
  );
  const target = {
    to: 'host.example',
    send: async (heartbeat: Heartbeat) => {
      sent.push(heartbeat);
      await answers[heartbeat.state]?.();
    },
  };
  const targets = { start: target, success: target, failure: target };
  job = new JobHeartbeat('job', { timeout: 60_000, targets }, sender);
});

/** A run from its start to its end. */
async function run(end: Parameters<ReturnType<JobHeartbeat['began']>>[0]): Promise<void> {
  job.began(RUN)(end);
  await sender.idle();
}

const states = () => sent.map(({ state }) => state);

test('a start is sent after the turn in which the run begins', async () => {
  const end = job.began(RUN);
  await Promise.resolve();
  expect(sent).toEqual([]);
  await vi.waitFor(() => expect(states()).toEqual(['start']));
  end({ outcome: 'completed' });
  await sender.idle();
});

test('the end of a run waits for its start, and for no other one', async () => {
  let answer = (): void => undefined;
  answers = { start: () => new Promise<void>((resolve) => (answer = resolve)) };
  job.began(RUN)({ outcome: 'completed' });
  await vi.waitFor(() => expect(states()).toEqual(['start']));
  answers = {};
  job.began({ ...RUN, tick: 2000 })({ outcome: 'failed', error: 'why' });
  await vi.waitFor(() => expect(states()).toEqual(['start', 'start', 'failure']));
  answer();
  await sender.idle();
  expect(states()).toEqual(['start', 'start', 'failure', 'success']);
});

test('a run that is handed over has no end here, and an abandoned tick has one without a start', async () => {
  await run({ outcome: 'handed-over' });
  expect(states()).toEqual(['start']);
  job.abandoned({ ...RUN, attempt: 3, instance: 'other:2:client', why: 'the reason' });
  await sender.idle();
  expect(sent.at(-1)).toEqual({
    job: 'job',
    tick: 1000,
    attempt: 3,
    instance: 'other:2:client',
    state: 'failure',
    error: new Error('the reason'),
  });
});

describe('one that does not arrive', () => {
  const failure = { kind: 'heartbeat-failed', lock: 'job', to: 'host.example', why: 'broken' };

  test('is reported once, and again after one that has arrived', async () => {
    answers = { start: broken, success: broken, failure: broken };
    await run({ outcome: 'completed' });
    await run({ outcome: 'failed', error: 'why' });
    expect(notices).toEqual([failure]);
    answers = {};
    await run({ outcome: 'completed' });
    answers = { success: broken };
    await run({ outcome: 'completed' });
    expect(notices).toEqual([failure, failure]);
  });

  test('is reported once where the start arrives and the end never does', async () => {
    answers = { success: broken };
    for (let count = 0; count < 3; count += 1) await run({ outcome: 'completed' });
    expect(notices).toEqual([failure]);
  });

  test('is cut at the end of the application, and what follows it is not sent', async () => {
    answers = { start: () => new Promise<void>(() => undefined) };
    job.began(RUN)({ outcome: 'completed' });
    await vi.waitFor(() => expect(states()).toEqual(['start']));
    sender.end();
    await sender.idle();
    expect(states()).toEqual(['start']);
    expect(notices).toEqual([{ ...failure, why: 'the application has shut down' }]);
  });
});
