import { SHARES } from '../run/profiler.mjs';

/** @typedef {import('../run/rounds.mjs').Result} Result */
/** @typedef {import('../bench.types.js').Scenario} Scenario */

/** @param {number | undefined} value @param {number} digits */
export function format(value, digits = 0) {
  if (value === undefined || Number.isNaN(value)) return '–';
  if (value === Infinity) return '∞';
  const [whole = '', rest] = value.toFixed(digits).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return rest === undefined ? grouped : `${grouped}.${rest}`;
}

/** How often the one has to be taken to make the other. @param {number} ratio */
function times(ratio) {
  return Number.isNaN(ratio) ? '–' : `${format(ratio, ratio < 10 ? 2 : 0)} ×`;
}

/** What every scenario has. @type {readonly import('../bench.types.js').Measure[]} */
const USAGE = [
  { key: 'clientCpu', title: 'client CPU ms' },
  { key: 'serverCpu', title: 'server CPU ms' },
  { key: 'memory', title: 'client MB' },
];

/** @param {Scenario} scenario @param {readonly Result[]} results @returns {string[][]} a head and rows */
export function tableOf({ measure, columns: own, sizes }, results) {
  const columns = [...own, ...USAGE];
  const sizeOf = (/** @type {Result} */ { size }) => (sizes === undefined ? [] : [format(size)]);
  const head = [
    '',
    ...(sizes === undefined ? [] : ['size']),
    measure.title,
    'to the limit',
    ...columns.map(({ title }) => title),
  ];
  const rows = results.map((result) => {
    const { entry, figures, failure } = result;
    const limit = results.find(({ entry: { role }, size }) => role === 'limit' && size === result.size);
    const ratio = (figures[measure.key] ?? NaN) / (limit?.figures[measure.key] ?? NaN);
    const cells =
      failure === undefined
        ? [
            format(figures[measure.key], measure.digits),
            times(ratio),
            ...columns.map(({ key, digits }) => format(figures[key], digits)),
          ]
        : [`failed: ${failure.split('\n', 1).join('').slice(0, 80)}`, ...columns.map(() => ''), ''];
    return [entry.label, ...sizeOf(result), ...cells];
  });
  return [head, ...rows];
}

/** Where the time of the processes goes, in percent of it. @param {readonly Result[]} results @returns {string[][]} a head and rows */
export function profileTableOf(results) {
  const profiled = results.filter(({ profile }) => profile !== undefined);
  const rows = profiled.map(({ entry, size, profile = {} }) => {
    const all = SHARES.reduce((sum, { key }) => sum + (profile[key] ?? 0), 0);
    const shares = SHARES.map(({ key }) => format(((profile[key] ?? 0) * 100) / all));
    const sized = results.some((other) => other.size !== size)
      ? `${entry.label}, ${format(size)}`
      : entry.label;
    return [sized, format(all), ...shares];
  });
  return [['', 'ms', ...SHARES.map(({ title }) => `${title} %`)], ...rows];
}

/** @param {readonly (readonly string[])[]} rows @returns {string} for a terminal */
export function plainTable(rows) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    )
    .join('\n');
}

/** @param {readonly (readonly string[])[]} rows @returns {string} */
export function markdownTable([head = [], ...rows]) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, column) => (column === 0 ? '---' : '---:'));
  return [head, rule, ...rows].map((row) => line(row)).join('\n');
}
