import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const FIGURE = /(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w.,]*\d)/g;
/** The sections that quote figures of the benchmark. */
const QUOTING = ['How fast', 'Compared with others'];

interface Row {
  readonly label: string;
  readonly figures: readonly string[];
}

test.for(['docs/performance.md', 'docs/comparison.md'])(
  'the figures that %s quotes are those of the scenario that their row names',
  (page) => {
    const measured = measuredFigures();
    const rows = QUOTING.flatMap((section) => rowsOf(readFileSync(page, 'utf8'), section));
    expect(rows.flatMap(({ figures }) => figures).length).toBeGreaterThan(10);
    const wrong = rows.flatMap(({ label, figures }) => {
      const known = measured.get(/\[(?<id>S\d+[A-Z]*)\]/.exec(label)?.groups?.['id'] ?? '') ?? [];
      return figures
        .filter((figure) => !known.some((value) => isRounded(value, figure)))
        .map((figure) => `${figure} in "${label}"`);
    });
    expect(wrong).toEqual([]);
  },
);

/** What the benchmark's report has, by the scenario. */
function measuredFigures(): ReadonlyMap<string, readonly number[]> {
  const [, ...sections] = readFileSync('docs/benchmarks/README.md', 'utf8').split(/^## (?=S\d)/m);
  return new Map(
    sections.map((section) => [
      /^\w+/.exec(section)?.[0] ?? '',
      [...section.matchAll(FIGURE)].map(([figure]) => valueOf(figure)),
    ]),
  );
}

/** The rows of a section's tables that have figures. */
function rowsOf(page: string, heading: string): Row[] {
  const [, section = ''] = page.split(new RegExp(`^## ${heading}$`, 'm'));
  const [text = ''] = section.split(/^## /m);
  return text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => {
      const [, label = '', ...cells] = line.split('|');
      const figures = cells
        .map((cell) => /^ *\**(?<figure>\d[\d,]*(?:\.\d+)?)\**(?: µs)? *$/.exec(cell)?.groups?.['figure'])
        .filter((figure) => figure !== undefined);
      return { label: label.trim(), figures };
    })
    .filter(({ figures }) => figures.length > 0);
}

function isRounded(value: number, figure: string): boolean {
  const digits = figure.split('.')[1]?.length ?? 0;
  return Math.abs(value - valueOf(figure)) <= 0.5 / 10 ** digits;
}

function valueOf(figure: string): number {
  return Number(figure.replaceAll(',', ''));
}
