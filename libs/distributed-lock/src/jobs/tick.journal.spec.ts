import { expect, test, vi } from 'vitest';
import { NoticeBoard } from '../events/notice.board.js';
import { StoreClock } from '../ticks/store.clock.js';
import { TickJournal } from './tick.journal.js';

const newJournal = () => {
  const board = new NoticeBoard();
  const tickSkipped = vi.fn<(event: object) => void>();
  board.events.listen({ tickSkipped });
  return { journal: new TickJournal(board, new StoreClock()), tickSkipped };
};

test('a tick that is not run here is one event, however often it is claimed', () => {
  const { journal, tickSkipped } = newJournal();
  journal.refused('job', 1000, 'taken');
  journal.refused('job', 1000, 'taken');
  journal.refused('job', 2000, 'overlapped');
  journal.refused('other', 1000, 'paused');
  expect(tickSkipped.mock.calls).toEqual([
    [{ job: 'job', tick: 1000, why: 'taken' }],
    [{ job: 'job', tick: 2000, why: 'overlapped' }],
    [{ job: 'other', tick: 1000, why: 'paused' }],
  ]);
});

test('a tick that was run here is not skipped when it is claimed again, nor is an early one', () => {
  const { journal, tickSkipped } = newJournal();
  journal.granted('job', 2000);
  journal.granted('job', 1000);
  journal.refused('job', 2000, 'taken');
  journal.refused('job', 3000, 'early');
  journal.refused('job', 3000, 'missed');
  expect(tickSkipped).not.toHaveBeenCalled();
});
