import { expect, test } from 'vitest';
import { LockAttributes, MOST_JOBS } from './lock.attributes.js';

const nameOf = (lock: string) => lock.split(':')[0];

test('a job has its name, and what nameOf makes of it', () => {
  const attributes = new LockAttributes({ nameOf, hasJobs: true });
  expect(attributes.ofJob('report:7')).toEqual({
    'distributed_lock.name': 'report',
    'distributed_lock.job': 'report:7',
  });
  expect(attributes.ofName('report:7')).toEqual({ 'distributed_lock.name': 'report' });
});

test('jobs beyond the most are counted together, and those before keep their series', () => {
  const attributes = new LockAttributes({ nameOf: () => undefined, hasJobs: true });
  for (let index = 0; index < MOST_JOBS; index += 1) attributes.ofJob(`job-${index}`);
  expect(attributes.ofJob('one-more')).toEqual({});
  expect(attributes.ofJob('job-0')).toEqual({ 'distributed_lock.job': 'job-0' });
});

test('without jobs none has an attribute', () => {
  expect(new LockAttributes({ nameOf: () => undefined, hasJobs: false }).ofJob('a')).toEqual({});
});
