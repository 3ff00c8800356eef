import { describe, expect, it } from 'vitest';
import { ALL_JOBS, hashOf, parseRoute, queryOf, type Route } from './router.js';

const ROUTES: readonly (readonly [hash: string, route: Route])[] = [
  ['#/jobs', ALL_JOBS],
  [
    '#/jobs?text=a%26b&state=failing&sort=next',
    { page: 'jobs', text: 'a&b', filter: 'failing', sort: 'next' },
  ],
  ['#/jobs/invoices', { page: 'job', name: 'invoices' }],
  ['#/jobs/invoices?records=1000', { page: 'job', name: 'invoices', isLong: true }],
  ['#/jobs/a%2Fb%3Fc%23%20%25', { page: 'job', name: 'a/b?c# %' }],
  ['#/jobs/%E2%80%AE%3Cimg%3E', { page: 'job', name: '\u202e<img>' }],
  ['#/locks', { page: 'locks', prefix: '' }],
  ['#/locks?prefix=user%3A%2B1', { page: 'locks', prefix: 'user:+1' }],
  ['#/instances', { page: 'instances' }],
  ['#/leaders', { page: 'leaders' }],
];

describe('the router', () => {
  it.each(ROUTES)('reads %s', (hash, route) => {
    expect(parseRoute(hash)).toEqual(route);
  });

  it.each(ROUTES)('writes %s', (hash, route) => {
    expect(hashOf(route)).toBe(hash);
  });

  it.each(['', '#', '#/', '#/nowhere', '#/jobs/', '#/jobs?state=odd&sort=odd'])(
    'takes %j for the page of jobs',
    (hash) => {
      expect(parseRoute(hash)).toEqual(ALL_JOBS);
    },
  );

  it('takes a link that was cut within an escape as it is', () => {
    expect(parseRoute('#/jobs/a%E2%8')).toEqual({ page: 'job', name: 'a%E2%8' });
  });

  it('replaces a lone surrogate, which no URL can hold', () => {
    expect(hashOf({ page: 'job', name: '\ud800' })).toBe('#/jobs/%EF%BF%BD');
  });

  it('leaves empty values out of a query', () => {
    expect([queryOf({ topic: 'locks', prefix: '' }), queryOf({ prefix: '' })]).toEqual(['?topic=locks', '']);
  });
});
