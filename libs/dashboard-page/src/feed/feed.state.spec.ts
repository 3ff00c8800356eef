import { describe, expect, it } from 'vitest';
import type { JobsEvent } from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';
import { jobOf } from '../jobs/job.fixture.js';
import { parseRoute } from '../router.js';
import { mergeFleet, pathOf, readAt, topicOf } from './feed.state.js';

function eventOf(facts: Partial<JobsEvent>): JobsEvent {
  return {
    at: 1,
    isWhole: false,
    jobs: [],
    gone: [],
    instances: [],
    goneInstances: [],
    leaderships: [],
    isCut: false,
    ...facts,
  };
}

describe('an event of jobs', () => {
  const [a, b] = [jobOf('a'), jobOf('b')];
  const fleet = mergeFleet(undefined, eventOf({ isWhole: true, jobs: [a, b] }));

  it('that is whole replaces what was there', () => {
    expect([...mergeFleet(fleet, eventOf({ isWhole: true, jobs: [b] })).jobs.keys()]).toEqual(['b']);
  });

  it('leaves the jobs that it does not name the same objects', () => {
    const changed = jobOf('b', { paused: 5 });
    const { at, jobs } = mergeFleet(fleet, eventOf({ at: 2, jobs: [changed, jobOf('c')] }));
    expect([at, ...jobs.keys()]).toEqual([2, 'a', 'b', 'c']);
    expect(jobs.get('a')).toBe(a);
    expect(jobs.get('b')).toBe(changed);
  });

  it('removes the jobs that are gone', () => {
    expect([...mergeFleet(fleet, eventOf({ gone: ['a', 'unknown'] })).jobs.keys()]).toEqual(['b']);
  });

  it('without a change of jobs keeps their map, and takes the rest', () => {
    const merged = mergeFleet(fleet, eventOf({ at: 3, leaderships: [{ key: 'k', candidates: [] }] }));
    expect(merged.jobs).toBe(fleet.jobs);
    expect(merged).toMatchObject({ at: 3, leaderships: [{ key: 'k' }] });
  });

  it('does not change what was there before', () => {
    expect([...fleet.jobs.keys()]).toEqual(['a', 'b']);
  });
});

describe('a topic', () => {
  it.each([
    ['#/jobs?state=failing', 'api/events?topic=jobs'],
    ['#/instances', 'api/events?topic=jobs'],
    ['#/leaders', 'api/events?topic=jobs'],
    ['#/jobs/a%26b', 'api/events?topic=job&name=a%26b'],
    ['#/jobs/a?records=1000', 'api/events?topic=job&name=a&records=1000'],
    ['#/locks', 'api/events?topic=locks&prefix='],
    ['#/locks?prefix=a%20b', 'api/events?topic=locks&prefix=a%20b'],
  ])('of %s has the path %s', (hash, path) => {
    expect(pathOf(topicOf(parseRoute(hash)))).toBe(path);
  });

  it('has no figures while those of another job are there', () => {
    const job = { at: 7, name: 'a', job: null, runs: [], isCut: false };
    const at = (name: string) => readAt({ connection: 'live', job }, { topic: 'job', name });
    expect([at('a'), at('b')]).toEqual([7, undefined]);
  });
});
