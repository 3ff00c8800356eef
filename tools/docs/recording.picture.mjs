/** @typedef {{ at: number, text: string }} ShownLine `at` in ms since the start */

const ROWS = 24;
const COLUMNS = 110;
const LINE_HEIGHT = 19;
const CHARACTER = 8.2;
const MARGIN = 16;
/** In ms: how long the end stays before the recording starts again. */
const END = 8_000;
/** In ms: a recording that is longer is played faster. */
const LONGEST = 24_000;

/**
 * A recording of a terminal as an SVG that plays by itself, without a script: pages that show images only play it too. A reader who wants less
 * motion sees its end.
 * @param {readonly ShownLine[]} lines
 * @returns {string}
 */
export function drawRecording(lines) {
  const rows = lines.flatMap(({ at, text }) => wrap(text).map((part) => ({ at, text: part })));
  const duration = rows.at(-1)?.at ?? 0;
  const speed = Math.max(1, duration / LONGEST);
  const total = duration / speed + END;
  const width = Math.round(COLUMNS * CHARACTER + 2 * MARGIN);
  const height = ROWS * LINE_HEIGHT + 2 * MARGIN;
  const steps = rows.map(({ at }, index) => ({
    at: at / speed / total,
    top: Math.max(0, index + 1 - ROWS) * LINE_HEIGHT,
  }));
  const texts = rows.map(
    ({ text }, index) =>
      `<text x="${MARGIN}" y="${MARGIN + (index + 0.75) * LINE_HEIGHT}" class="r${index}">${escape(text)}</text>`,
  );
  const shown = steps.map(
    (
      { at },
      index,
    ) => `@keyframes r${index}{0%,${percent(at)}{opacity:0}${percent(at + 0.0001)},100%{opacity:1}}
.r${index}{animation:r${index} ${(total / 1000).toFixed(2)}s infinite}`,
  );
  const scrolled = steps
    .filter(({ top }) => top > 0)
    .map(({ at, top }) => `${percent(at)}{transform:translateY(-${top}px)}`);
  const end = steps.at(-1)?.top ?? 0;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="A recording of npm run demo">
<style>
text{font:13.5px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#dfe3ea;white-space:pre}
.all{transform:translateY(-${end}px);animation:scroll ${(total / 1000).toFixed(2)}s step-end infinite}
@keyframes scroll{0%{transform:none}${scrolled.join('')}100%{transform:translateY(-${end}px)}}
${shown.join('\n')}
@media (prefers-reduced-motion:reduce){.all,text{animation:none}}
</style>
<rect width="${width}" height="${height}" rx="8" fill="#14171d"/>
<svg x="0" y="${MARGIN / 2}" width="${width}" height="${height - MARGIN}" viewBox="0 ${MARGIN / 2} ${width} ${height - MARGIN}"><g class="all">
${texts.join('\n')}
</g></svg>
</svg>
`;
}

/** @param {string} text @returns {string[]} */
function wrap(text) {
  const parts = [];
  for (let start = 0; start === 0 || start < text.length; start += COLUMNS)
    parts.push(text.slice(start, start + COLUMNS));
  return parts;
}

/** @param {number} share */
function percent(share) {
  return `${(Math.min(share, 1) * 100).toFixed(3)}%`;
}

/** @param {string} text */
function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
