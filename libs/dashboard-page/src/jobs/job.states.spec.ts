import { describe, expect, it } from 'vitest';
import type { JobFilter } from '../router.js';
import { jobOf, runOf } from './job.fixture.js';
import { hasText, inOrder, isIn, sorted } from './job.states.js';

const NOW = 1_000_000;

describe('a job is', () => {
  it.each([
    ['running', { running: runOf('running', NOW) }, ['running']],
    ['paused', { paused: NOW, next: NOW - 60_000 }, ['paused']],
    ['failing after a crash', { lastRun: runOf('crashed', NOW) }, ['failing']],
    ['not failing after a success', { lastRun: runOf('completed', NOW) }, []],
    ['overdue', { next: NOW - 10_001 }, ['overdue']],
    ['not overdue for a moment', { next: NOW - 10_000 }, []],
    ['not overdue while it runs', { next: NOW - 60_000, running: runOf('running', NOW) }, ['running']],
    ['nowhere', { instances: [] }, ['nowhere']],
    ['not nowhere where no instance reports', { instances: [], isFleetKnown: false }, []],
  ])('%s', (_, facts, expected) => {
    const filters: readonly JobFilter[] = ['running', 'paused', 'failing', 'overdue', 'nowhere'];
    expect(filters.filter((filter) => isIn(filter, jobOf('a', facts), NOW))).toEqual(expected);
  });
});

describe('the table of jobs', () => {
  const namesOf = (jobs: readonly { name: string }[]) => jobs.map(({ name }) => name);

  it('finds a text in the name, the schedule and the application', () => {
    const job = jobOf('Invoices', { apps: ['billing'], schedule: '0 3 * * *' });
    expect(['voice', 'BILL', ' 0 3 ', ''].map((text) => hasText(job, text))).toEqual(Array(4).fill(true));
    expect(hasText(job, 'mail')).toBe(false);
  });

  it('sorts names by their numbers', () => {
    expect(
      namesOf(
        sorted(
          ['b10', 'b9', 'a'].map((name) => jobOf(name)),
          'name',
        ),
      ),
    ).toEqual(['a', 'b9', 'b10']);
  });

  it('sorts a paused job, which has no next tick, behind those that have one', () => {
    const jobs = [jobOf('a', { next: 1, paused: NOW }), jobOf('b', { next: 2 })];
    expect(namesOf(sorted(jobs, 'next'))).toEqual(['b', 'a']);
  });

  it('sorts by the next tick, with unknown ones last', () => {
    const jobs = [jobOf('c'), jobOf('b'), jobOf('late', { next: 2 }), jobOf('soon', { next: 1 })];
    expect(namesOf(sorted(jobs, 'next'))).toEqual(['soon', 'late', 'b', 'c']);
  });

  it('sorts by the last run, the newest one first', () => {
    const jobs = [jobOf('never'), jobOf('old', { lastRun: runOf('failed', 1) })];
    jobs.push(jobOf('new', { lastRun: runOf('completed', 2) }));
    expect(namesOf(sorted(jobs, 'last'))).toEqual(['new', 'old', 'never']);
  });

  it('keeps the shown order, and puts a new job last', () => {
    expect(namesOf(inOrder([jobOf('new'), jobOf('a'), jobOf('b')], ['b', 'gone', 'a']))).toEqual([
      'b',
      'a',
      'new',
    ]);
  });
});
