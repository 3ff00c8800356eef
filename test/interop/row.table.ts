import { appendFile, readFile } from 'node:fs/promises';

/** One row of the matrix, as it came out. */
export interface RowResult {
  readonly id: string;
  readonly scenario: string;
  readonly ok: boolean;
  /** How long it took, in ms. */
  readonly took: number;
  /** What the observer heard: channel, payload, how often. */
  readonly messages: readonly string[];
  /** What the observer found after it. */
  readonly leftovers: readonly string[];
  /** What was measured. */
  readonly notes: readonly string[];
}

export async function writeRow(file: string, row: RowResult): Promise<void> {
  await appendFile(file, `${JSON.stringify(row)}\n`);
}

export async function readRows(file: string): Promise<RowResult[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): RowResult => JSON.parse(line));
}

/** All rows, for people. */
export function tableOf(rows: readonly RowResult[]): string {
  if (rows.length === 0) return 'interop: no rows were run';
  const passed = rows.filter(({ ok }) => ok).length;
  const lines = rows
    .toSorted(inMatrix)
    .flatMap(({ id, scenario, ok, took, messages, leftovers, notes }) => [
      `${ok ? 'ok    ' : 'FAILED'} ${id.padEnd(4)} ${scenario}  (${(took / 1000).toFixed(1)} s)`,
      `            messages: ${listed(messages)}`,
      `            leftovers: ${listed(leftovers)}`,
      ...notes.map((note) => `            ${note}`),
    ]);
  return ['', ...lines, `interop: ${passed} of ${rows.length} rows passed`].join('\n');
}

/** In the order of the matrix, whatever the order in which they were run. */
function inMatrix(one: RowResult, other: RowResult): number {
  const place = ({ id }: RowResult) => 'LFRESMPCKWX'.indexOf(id.charAt(0)) * 100 + Number(id.slice(1));
  return place(one) - place(other);
}

/** Few in full; of many channels, as of fair waiters, only how many there are. */
function listed(items: readonly string[]): string {
  if (items.length === 0) return 'none';
  const shown = items.slice(0, 6).map(shortened).join('; ');
  return items.length > 6 ? `${shown}; and ${items.length - 6} more` : shown;
}

/** Client ids are long, and say nothing. */
function shortened(text: string): string {
  return text.replaceAll(/([0-9a-f]{4})[0-9a-f]{4}-[0-9a-f-]{27}/g, '$1…');
}
