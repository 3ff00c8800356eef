import { format } from './table.mjs';

const ROW = 24;
const LABEL = 300;
const BAR = 420;
const WIDTH = LABEL + BAR + 120;

/** Readable on light and on dark pages. */
const COLOURS = { limit: '#8a8f98', ours: '#2f81f7', peer: '#d29922' };

/**
 * A bar for each entry, as an SVG.
 * @param {import('../bench.types.js').Scenario} scenario
 * @param {readonly import('../run/rounds.mjs').Result[]} results
 * @returns {string}
 */
export function chartOf({ id, title, measure, sizes }, results) {
  const bars = results.flatMap(({ entry, size, figures }) => {
    const value = figures[measure.key];
    return value === undefined || Number.isNaN(value)
      ? []
      : [
          {
            role: entry.role,
            label: sizes === undefined ? entry.label : `${entry.label}, ${format(size)}`,
            value,
          },
        ];
  });
  const most = Math.max(...bars.map(({ value }) => value));
  const better = measure.better === undefined ? '' : `, ${measure.better} is better`;
  const rows = bars.map(({ label, role, value }, index) => {
    const top = 40 + index * ROW;
    const length = Math.max(1, (value / most) * BAR);
    return [
      `<text x="${LABEL - 8}" y="${top + 15}" text-anchor="end">${escaped(label)}</text>`,
      `<rect x="${LABEL}" y="${top + 3}" width="${length.toFixed(1)}" height="${ROW - 8}" rx="2" fill="${COLOURS[role]}"/>`,
      `<text x="${(LABEL + length + 6).toFixed(1)}" y="${top + 15}">${format(value, measure.digits)}</text>`,
    ].join('');
  });
  const height = 48 + bars.length * ROW;
  const style = 'text{font:12px system-ui,sans-serif;fill:#6e7681}';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" role="img" aria-label="${id}: ${escaped(title)}"><style>${style}</style><text x="8" y="20">${id}: ${escaped(title)} (${escaped(measure.title)}${better})</text>${rows.join('')}</svg>\n`;
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
