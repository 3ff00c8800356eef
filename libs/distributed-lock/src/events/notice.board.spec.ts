import { expect, test, vi } from 'vitest';
import { NoticeBoard, type NoticeListener } from './notice.board.js';

test('a notice of a tick that did not run, or that died, is an event as well', () => {
  const board = new NoticeBoard();
  const tickMissed = vi.fn<(event: object) => void>();
  const tickCrashed = vi.fn<(event: object) => void>();
  board.post({ kind: 'tick-missed', lock: 'job', tick: 1, after: undefined, count: 1, why: 'unheard' });
  board.events.listen({ tickMissed, tickCrashed });
  board.post({ kind: 'tick-missed', lock: 'job', tick: 2, after: 1, count: 3, why: 'nobody was there' });
  board.post({ kind: 'tick-crashed', lock: 'job', tick: 3, attempt: 1, instance: 'host:1:id' });
  expect(tickMissed.mock.calls).toEqual([
    [{ job: 'job', tick: 2, after: 1, count: 3, why: 'nobody was there' }],
  ]);
  expect(tickCrashed.mock.calls).toEqual([[{ job: 'job', tick: 3, attempt: 1, instance: 'host:1:id' }]]);
});

test('a listener that fails is logged', () => {
  const board = new NoticeBoard();
  const log = vi.fn<NoticeListener>();
  board.listen(log);
  board.events.listen({
    tickMissed: () => {
      throw new Error('broken');
    },
  });
  const notice = {
    kind: 'tick-missed',
    lock: 'job',
    tick: 2,
    after: 1,
    count: 3,
    why: 'nobody was there',
  } as const;
  board.post(notice);
  expect(log.mock.calls).toEqual([
    [notice],
    [{ kind: 'listener-failed', event: 'tickMissed', why: 'broken' }],
  ]);
});

test('a listener that throws a value that cannot be printed is logged all the same', () => {
  const board = new NoticeBoard();
  const log = vi.fn<NoticeListener>();
  board.listen(log);
  board.events.listen({
    tickMissed: () => {
      throw Object.create(null);
    },
  });
  board.post({ kind: 'tick-missed', lock: 'job', tick: 2, after: 1, count: 3, why: 'nobody was there' });
  expect(log.mock.lastCall).toEqual([
    { kind: 'listener-failed', event: 'tickMissed', why: 'an error that cannot be printed' },
  ]);
});
