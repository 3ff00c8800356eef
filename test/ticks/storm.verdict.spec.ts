import { describe, expect, test } from 'vitest';
import type { TickRecord } from '../../libs/distributed-lock/src/contracts/tick.contract.js';
import { runsOfJournal, type JournalLine, type JournalRun } from './storm.journal.js';
import { judgeJob, type JobEvidence } from './storm.verdict.js';

const row = { attempt: 0, app: 'app', instance: 'host:1:id', start: 0 };

function judge(evidence: Partial<JobEvidence>): readonly string[] {
  return judgeJob({ policy: 'skip', due: [], runs: [], rows: [], tolerance: 500, ...evidence }).violations;
}

function run(tick: number, attempt: number, outcome: JournalRun['outcome'], start = tick): JournalRun {
  return { job: 'job', tick, attempt, instance: attempt, start, end: start + 100, outcome };
}

describe('the judge of a storm', () => {
  test('has nothing against ticks that were run, that crashed, or that have a reason', () => {
    const rows: TickRecord[] = [
      { ...row, tick: 2000, outcome: 'crashed', attempt: 1, reason: 'its lease ended' },
      { ...row, tick: 3000, outcome: 'overlapped', reason: 'held' },
      { ...row, tick: 5000, after: 3000, outcome: 'missed', reason: 'no instance claimed it' },
    ];
    const due = [1000, 2000, 3000, 4000, 5000];
    expect(judge({ due, rows, runs: [run(1000, 1, 'completed'), run(2000, 1, 'killed')] })).toEqual([]);
  });

  test('finds a tick that ran twice under skip, and one whose attempt ran twice', () => {
    const runs = [run(1000, 1, 'completed'), run(1000, 2, 'completed', 2000)];
    expect(judge({ due: [1000], runs })).toEqual([expect.stringContaining('run twice under skip')]);
    expect(judge({ due: [1000], runs, policy: 'retry' })).toEqual([]);
    const same = [run(1000, 1, 'killed'), run(1000, 1, 'completed', 2000)];
    expect(judge({ due: [1000], runs: same, policy: 'retry' })).toEqual([
      expect.stringContaining('one attempt run twice'),
    ]);
  });

  test('finds a granted tick that did not run to its end, also one that only the record knows', () => {
    const rows: TickRecord[] = [1000, 2000].map((tick) => ({
      ...row,
      tick,
      outcome: 'crashed',
      attempt: 1,
      reason: 'its lease ended',
    }));
    const violations = judge({ due: [1000, 2000], rows, runs: [run(1000, 1, 'killed')], policy: 'retry' });
    expect(violations).toEqual([
      expect.stringContaining('1000 (1 killed by 1): granted'),
      expect.stringContaining('2000 (no run): granted'),
    ]);
  });

  test('finds a tick of which nothing is known, a reason that is left out, and runs at the same time', () => {
    expect(judge({ due: [1000] })).toEqual([expect.stringContaining('neither run nor recorded')]);
    const rows: TickRecord[] = [{ ...row, tick: 1000, outcome: 'missed' }];
    expect(judge({ due: [1000], rows })).toEqual([expect.stringContaining('without a reason')]);
    const long = { ...run(1000, 1, 'completed'), end: 2600 };
    expect(judge({ due: [1000, 2000], runs: [long, run(2000, 1, 'completed')], tolerance: 50 })).toEqual([
      expect.stringContaining('two runs at once for 100 ms'),
    ]);
  });
});

test('a journal distinguishes runs that ended, were aborted, were killed, and go on', () => {
  const line = (mark: JournalLine['mark'], tick: number, at: number) => ({
    mark,
    job: 'job',
    tick,
    attempt: 1,
    at,
  });
  const lines = [line('start', 1, 10), line('end', 1, 20), line('start', 2, 30), line('abort', 2, 40)];
  const cut = [...lines, line('start', 3, 50)];
  expect(runsOfJournal(cut, 0, 60).map(({ end, outcome }) => [end, outcome])).toEqual([
    [20, 'completed'],
    [40, 'aborted'],
    [60, 'killed'],
  ]);
  expect(runsOfJournal(cut, 0, undefined).at(-1)).toMatchObject({ end: Infinity, outcome: 'running' });
});
