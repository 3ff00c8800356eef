import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const FIGURE = /(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w.,]*\d)/g;

test.for(['README.md', 'docs/comparison.md'])(
  'the figures that %s quotes are those of the benchmark',
  (page) => {
    const report = readFileSync('docs/benchmarks/README.md', 'utf8');
    const measured = [...report.matchAll(FIGURE)].map(([figure]) => valueOf(figure));
    const quoted = cellsOf(readFileSync(page, 'utf8'));
    expect(quoted.length).toBeGreaterThan(10);
    expect(quoted.filter((figure) => !measured.some((value) => isRounded(value, figure)))).toEqual([]);
  },
);

/** The cells of the table under "How fast" that are figures. */
function cellsOf(page: string): string[] {
  const [, section = ''] = page.split(/^## How fast$/m);
  const [table = ''] = section.split(/^## /m);
  return table
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .flatMap((line) => line.split('|').slice(2, -1))
    .map((cell) => /^ *\**(?<figure>\d[\d,]*(?:\.\d+)?)\**(?: µs)? *$/.exec(cell)?.groups?.['figure'])
    .filter((figure) => figure !== undefined);
}

function isRounded(value: number, figure: string): boolean {
  const digits = figure.split('.')[1]?.length ?? 0;
  return Math.abs(value - valueOf(figure)) <= 0.5 / 10 ** digits;
}

function valueOf(figure: string): number {
  return Number(figure.replaceAll(',', ''));
}
