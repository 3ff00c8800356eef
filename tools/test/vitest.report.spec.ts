import { describe, expect, it } from 'vitest';
import { judgeSkips } from './skip.judge.mjs';
import { readReport } from './vitest.report.mjs';

function file(status: string, ...results: readonly string[]) {
  const assertionResults = results.map((result, index) => ({
    status: result,
    title: `test ${index}`,
    ancestorTitles: ['a lock'],
    failureMessages: result === 'failed' ? ['Error: it is held\n    at line 1'] : [],
  }));
  return { name: '/repo/test/a.spec.ts', status, assertionResults };
}

describe('readReport', () => {
  it('counts each test by its status', () => {
    const report = { testResults: [file('failed', 'passed', 'failed', 'skipped', 'todo', 'pending')] };
    expect(readReport(report, false, '/repo')).toEqual({
      passed: 1,
      failed: 1,
      skipped: [2, 3, 4].map((index) => `test/a.spec.ts > a lock > test ${index}`),
      failures: [
        { file: 'test/a.spec.ts', test: 'test/a.spec.ts > a lock > test 1', reason: 'Error: it is held' },
      ],
      passes: new Set(['test/a.spec.ts > a lock > test 0']),
    });
  });

  it('counts a file that fails outside its tests', () => {
    expect(
      readReport({ testResults: [file('failed', 'passed'), file('failed')] }, false, '/repo').failed,
    ).toBe(2);
  });

  it('counts a run that fails outside its files', () => {
    expect(readReport({ testResults: [file('passed', 'passed')] }, false, '/repo').failed).toBe(1);
  });

  it('counts a run without a report as a failure, whatever its exit code', () => {
    expect(readReport(null, true, '/repo').failed).toBe(1);
  });

  it('counts what went wrong outside of all tests, beside tests that failed', () => {
    const report = { testResults: [file('failed', 'passed', 'failed')] };
    const { failed, failures } = readReport(report, false, '/repo', ['the suite left a key behind']);
    expect([failed, failures.length]).toEqual([2, 1]);
  });

  it('finds no failure in a good run', () => {
    expect(readReport({ testResults: [file('passed', 'passed')] }, true, '/repo')).toEqual({
      passed: 1,
      failed: 0,
      skipped: [],
      failures: [],
      passes: new Set(['test/a.spec.ts > a lock > test 0']),
    });
  });
});

describe('judgeSkips', () => {
  const allowed = [
    { test: 'test/a.spec.ts > a lock > waits', reason: 'needs Java' },
    { test: 'test/b.spec.ts', reason: 'needs docker' },
    { test: 'test/c.spec.ts', reason: '' },
  ];

  it('expects a listed test, and any test of a listed file, and prints the reason', () => {
    const { expected, unexpected } = judgeSkips(
      ['test/a.spec.ts > a lock > waits', 'test/b.spec.ts > any'],
      allowed,
    );
    expect(expected).toEqual([
      'test/a.spec.ts > a lock > waits (needs Java)',
      'test/b.spec.ts > any (needs docker)',
    ]);
    expect(unexpected).toEqual([]);
  });

  it('does not expect another test, a longer file name, or an entry without a reason', () => {
    const skipped = ['test/a.spec.ts > a lock > waits long', 'test/b.spec.tsx > any', 'test/c.spec.ts > any'];
    expect(judgeSkips(skipped, allowed)).toEqual({ expected: [], unexpected: skipped });
  });
});
