import { describe, expect, test } from 'vitest';
import type { LockSort } from './chaos.types.js';
import { isHold, readCalls } from './holds.js';
import { allowanceFor } from './queue.allowance.js';
import { Disturbances } from './spans.js';
import { MS } from './violation.js';
import { WrittenHistory } from './written.history.js';

type Hurt = 'stop' | 'kill' | 'block';

/** A lock that worker 0 has had until 100 ms, and that is free until 900 ms, while worker 9 waits for it. @returns ms */
function allowance(
  hurt: Readonly<Record<number, Hurt>>,
  {
    sort = 'reentrant',
    at = 90,
    outcome = 'released',
    seen,
  }: { sort?: LockSort; at?: number; outcome?: string; seen?: { at: number; holder: string } } = {},
): number {
  const story = new WrittenHistory();
  story.tell(9, 0, { kind: 'started', pid: 1, watchdog: 5000 });
  story.hold({ sort, worker: 0, granted: 10, ended: 100, released: 101, outcome });
  story.hold({ sort, worker: 9, wanted: 50 });
  for (const [worker, what] of Object.entries(hurt)) {
    const whose = { kind: 'signal', worker: Number(worker), life: 0 } as const;
    if (what === 'block') story.tell(whose.worker, at + 200, { kind: 'stalled', gap: 200 * MS });
    else story.watch(at, { ...whose, what });
    if (what === 'stop') story.watch(at + 500, { ...whose, what: 'resume' });
  }
  const calls = readCalls(story.history);
  const waiter = calls.find(({ worker }) => worker === 9);
  if (waiter === undefined || isHold(waiter)) throw new Error('worker 9 waits');
  const before = seen && { at: seen.at * MS, holders: [seen.holder] };
  const free = { from: 101 * MS, to: 900 * MS, before };
  return allowanceFor(waiter, free, calls.filter(isHold), new Disturbances(story.history)) / MS;
}

describe('a lock with a queue of processes may be free', () => {
  test.each<[string, number, Readonly<Record<number, Hurt>>]>([
    ['for no time longer while no other process is hurt', 0, {}],
    ['for no time longer because its waiter was stopped', 0, { 9: 'stop' }],
    ['for 30 ms longer while another process is stopped', 30, { 1: 'stop' }],
    ['for 30 ms longer while another process is busy', 30, { 1: 'block' }],
    ['for 30 ms longer for each of several', 90, { 1: 'stop', 2: 'block', 3: 'kill' }],
    ['for 30 ms longer while the process that released it is stopped', 30, { 0: 'stop' }],
    ['until a listener checks, where the next one is stopped as well', 3060, { 0: 'kill', 1: 'stop' }],
    ['until the waiter asks, where both listeners may be hurt', 5090, { 0: 'kill', 1: 'stop', 2: 'kill' }],
  ])('%s', (_when, ms, hurt) => {
    expect(allowance(hurt)).toBe(ms);
  });

  test('until the waiter asks, where the lease has ended and both listeners may be hurt', () => {
    expect(allowance({ 1: 'kill' }, { outcome: 'lost' })).toBe(30);
    expect(allowance({ 1: 'kill', 2: 'kill' }, { outcome: 'lost' })).toBe(5060);
  });

  test('until the waiter asks, where another one had it last, and its grant was not told', () => {
    const hurt = { 1: 'stop', 2: 'stop' } as const;
    expect(allowance(hurt, { seen: { at: 99, holder: 'holder:1' } })).toBe(60);
    expect(allowance(hurt, { seen: { at: 120, holder: 'holder:1' } })).toBe(60);
    expect(allowance(hurt, { seen: { at: 99, holder: 'another:1' } })).toBe(60);
    expect(allowance(hurt, { seen: { at: 120, holder: 'another:1' } })).toBe(5060);
  });

  test('until the waiter asks, where both listeners may be hurt, and the permit granted last was not the last to end', () => {
    expect(allowance({ 1: 'stop', 2: 'stop' }, { sort: 'permit' })).toBe(5060);
  });

  test.each<[LockSort, number]>([
    ['nonReentrant', 30],
    ['fenced', 30],
    ['multi', 30],
    ['write', 30],
    ['permit', 30],
    ['spin', 0],
    ['fair', 3000],
    ['read', 2250],
  ])('as the kind of lock allows: %s', (sort, ms) => {
    expect(allowance({ 1: 'stop' }, { sort })).toBe(ms);
  });

  test('for as long where the processes were killed shortly before the waiter began', () => {
    expect(allowance({ 1: 'kill', 2: 'kill' }, { outcome: 'lost', at: -2930 })).toBe(5060);
  });

  test('for no time longer when all was over before', () => {
    expect(allowance({ 0: 'kill', 1: 'stop', 2: 'block' }, { at: -4000 })).toBe(0);
  });
});
