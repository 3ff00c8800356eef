import { describe, expect, it } from 'vitest';
import { runOf } from '../jobs/job.fixture.js';
import { delayOf, tookOf } from './run.figures.js';

describe('a record', () => {
  const run = { ...runOf('completed', 1000), tick: 940 };
  const { end: _, ...open } = run;

  it('of a run has a time and a delay', () => {
    expect([tookOf(run, 9000), delayOf(run)]).toEqual([500, 60]);
  });

  it('of a run that goes on has the time until now', () => {
    expect(tookOf({ ...open, outcome: 'running' }, 1700)).toBe(700);
  });

  it('of a crashed run has no time', () => {
    expect(tookOf({ ...open, outcome: 'crashed' }, 1700)).toBeUndefined();
  });

  it('of a tick that did not run has neither', () => {
    const missed = { ...run, outcome: 'missed', attempt: 0 };
    expect([tookOf(missed, 9000), delayOf(missed)]).toEqual([undefined, undefined]);
  });
});
