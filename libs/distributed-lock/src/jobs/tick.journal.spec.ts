import { expect, test, vi } from 'vitest';
import { LockUnavailableError } from '../errors/lock.errors.js';
import { NoticeBoard } from '../events/notice.board.js';
import { StoreClock } from '../job-control/store.clock.js';
import { TickJournal } from './tick.journal.js';

const newJournal = () => {
  const board = new NoticeBoard();
  const tickSkipped = vi.fn<(event: object) => void>();
  const tickUnclaimed = vi.fn<(event: object) => void>();
  board.events.listen({ tickSkipped, tickUnclaimed });
  return { board, journal: new TickJournal(board, new StoreClock()), tickSkipped, tickUnclaimed };
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

test('a tick that cannot be claimed is one event, and each failure of a claim is logged', () => {
  const { board, journal, tickUnclaimed } = newJournal();
  const logged = vi.fn<(notice: object) => void>();
  board.listen(logged);
  const error = new LockUnavailableError('job', 'Redis is unavailable for "job": away.');
  journal.unclaimed('job', error, 1000);
  journal.unclaimed('job', error, 1000);
  journal.unclaimed('job', error, undefined);
  journal.unclaimed('job', error, 2000);
  expect(tickUnclaimed.mock.calls).toEqual([
    [{ job: 'job', tick: 1000, error }],
    [{ job: 'job', tick: 2000, error }],
  ]);
  expect(logged).toHaveBeenCalledTimes(4);
});
