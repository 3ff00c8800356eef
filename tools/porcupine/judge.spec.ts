import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { buildJudge, JudgeUnavailable, SKIPPED } from './judge.builder.mjs';
import { readVerdicts, tableOf } from './judge.mjs';

describe('the judge of histories', () => {
  test('is unavailable, and why, where a process has said so', async () => {
    vi.stubEnv(SKIPPED, 'no way to the module');
    await expect(buildJudge()).rejects.toThrow(new JudgeUnavailable('no way to the module'));
  });

  test('is unavailable on a machine without Go', async () => {
    vi.stubEnv(SKIPPED, '');
    vi.stubEnv('PATH', '/nowhere');
    const cache = await mkdtemp(join(tmpdir(), 'judge-'));
    try {
      const refused = await buildJudge({ cache, folders: [] }).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(JudgeUnavailable);
      expect(String(refused)).toContain('no go');
    } finally {
      await rm(cache, { recursive: true });
    }
  });
});

describe('the verdicts', () => {
  const text = [
    'ok\tmutex\tstock\t12\t0.250\ta.jsonl',
    'illegal\tfenced\tcart\t4\t1.000\ta.jsonl\tacquire by b:1, called at 40, answered at 50',
    'unknown\tmutex\tcart\t900\t30000.100\tb.jsonl',
    '',
  ].join('\n');

  test('are read from lines with tabs', () => {
    expect(readVerdicts(text)).toEqual([
      { verdict: 'ok', kind: 'mutex', key: 'stock', operations: 12, ms: 0.25, file: 'a.jsonl', stuck: '' },
      {
        verdict: 'illegal',
        kind: 'fenced',
        key: 'cart',
        operations: 4,
        ms: 1,
        file: 'a.jsonl',
        stuck: 'acquire by b:1, called at 40, answered at 50',
      },
      {
        verdict: 'unknown',
        kind: 'mutex',
        key: 'cart',
        operations: 900,
        ms: 30_000.1,
        file: 'b.jsonl',
        stuck: '',
      },
    ]);
  });

  test('are counted by the kind of lock', () => {
    expect(tableOf(readVerdicts(text)).split('\n')).toEqual([
      '| kind | histories | operations | ok | illegal | unknown | slowest check in ms |',
      '| --- | --- | --- | --- | --- | --- | --- |',
      '| fenced | 1 | 4 | 0 | 1 | 0 | 1.0 |',
      '| mutex | 2 | 912 | 1 | 0 | 1 | 30000.1 |',
    ]);
  });
});
