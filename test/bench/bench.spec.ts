import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';

const MAIN = fileURLToPath(new URL('../../bench/main.mjs', import.meta.url));

interface Report {
  readonly id: string;
  readonly results: readonly {
    readonly entry: { readonly label: string; readonly role: string };
    readonly figures: Readonly<Record<string, number | null>>;
    readonly failure?: string;
  }[];
}

test(
  'the benchmark measures the limits and this library where no peer is installed',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bench-'));
    const file = join(folder, 'figures.json');
    try {
      const own = ['--peers', 'none', '--node', process.execPath];
      const words = [MAIN, '--scenario', 'S1,S3,S8N', '--rounds', '1', ...own, '--json', file];
      const env = { ...process.env, BENCH_BRIEF: '1' };
      const { stdout } = await promisify(execFile)(process.execPath, words, { env });
      expect(stdout).toContain('S1: One caller, no contention');
      const report: Report[] = JSON.parse(await readFile(file, 'utf8'));
      expect(report.map(({ id }) => id)).toEqual(['S1', 'S3', 'S8N']);
      for (const { id, results } of report) {
        expect(new Set(results.map(({ entry }) => entry.role))).toEqual(new Set(['limit', 'ours']));
        for (const { figures, failure, entry } of results) {
          expect(failure, entry.label).toBeUndefined();
          expect(figures[id === 'S8N' ? 'cpu' : 'perSecond'], entry.label).toBeGreaterThan(0);
        }
      }
      const alone = report[0]?.results.find(({ entry }) => entry.role === 'ours');
      // An uncontended pair is two commands of the client, whatever is called inside the scripts.
      expect(alone?.figures['trips']).toBeCloseTo(2, 1);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
  scaled(60_000),
);
