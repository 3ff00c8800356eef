import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../build/node.runner.mjs';

const PAGE = join(ROOT, 'docs/compatibility.md');
const PLACE = /(?<=<!-- matrix: begin -->\n)[^]*(?=<!-- matrix: end -->)/;

/**
 * A cell, and where it ran.
 * @typedef {import('./cell.runner.mjs').Cell & { nest: string, ioredis: string, format: string, redis: string }} PlacedCell
 */

/**
 * Writes what ran into the page of compatibility.
 * @param {readonly PlacedCell[]} cells
 * @param {readonly { what: string, reason: string }[]} absent servers and runtimes that could not be had
 * @param {readonly import('./runtime.runner.mjs').RuntimeCell[]} runtimeCells
 */
export async function writeTables(cells, absent, runtimeCells) {
  const own = cells[0]?.redis;
  const text = [
    combinations(cells.filter(({ redis }) => redis === own)),
    versions(cells),
    servers(cells, absent),
    ...(runtimeCells.length === 0 ? [] : [runtimes(runtimeCells)]),
  ].join('\n');
  const page = await readFile(PAGE, 'utf8');
  if (!PLACE.test(page)) throw new Error(`${PAGE} has no place for the tables`);
  await writeFile(
    PAGE,
    page.replace(PLACE, () => `\n<!-- prettier-ignore-start -->\n${text}<!-- prettier-ignore-end -->\n\n`),
  );
}

/** @param {readonly PlacedCell[]} cells */
function combinations(cells) {
  const major = (/** @type {string} */ version) => version.split('.')[0];
  const columnOf = (/** @type {PlacedCell} */ { nest, ioredis, format }) =>
    `${major(nest)} · ${major(ioredis)} · ${format}`;
  const columns = [...new Set(cells.map(columnOf))].toSorted().toReversed();
  const checks = [...new Set(cells.map(({ check }) => check))];
  const rows = checks.map((check) => {
    const row = cells.filter((cell) => cell.check === check);
    const marks = columns.map((column) => {
      const cell = row.find((each) => columnOf(each) === column);
      return cell === undefined ? '' : cell.ok ? 'ok' : '**failed**';
    });
    return [check, row[0]?.ok ? row[0].text : '', ...marks];
  });
  return table(['Nest · ioredis · format', 'what was seen', ...columns], rows);
}

/** @param {readonly PlacedCell[]} cells */
function versions(cells) {
  /** @type {Map<string, Set<string>>} */
  const found = new Map([
    ['Node', new Set([process.versions.node])],
    ['Nest', new Set()],
    ['ioredis', new Set()],
  ]);
  for (const { nest, ioredis, versions: tested } of cells) {
    found.get('Nest')?.add(nest);
    found.get('ioredis')?.add(ioredis);
    for (const each of tested.split(', ').filter(Boolean)) {
      const [name = '', version = ''] = each.split(' ');
      found.set(name, (found.get(name) ?? new Set()).add(version));
    }
  }
  return table(
    ['package', 'versions that ran'],
    [...found].map(([name, set]) => [name, sorted(set)]),
  );
}

/**
 * @param {readonly PlacedCell[]} cells
 * @param {readonly { what: string, reason: string }[]} absent
 */
function servers(cells, absent) {
  const rows = [...new Set(cells.map(({ redis }) => redis))].map((redis) => {
    const ran = cells.filter((cell) => cell.redis === redis);
    const checks = [...new Set(ran.map(({ check }) => check))].join(', ');
    const clients = sorted(new Set(ran.map(({ ioredis }) => ioredis)));
    const failed = ran.filter(({ ok }) => !ok).length;
    return [redis, clients, checks, failed === 0 ? `ok (${ran.length})` : `**${failed} failed**`];
  });
  return table(
    ['server', 'ioredis', 'checks', 'cells'],
    [...rows, ...absent.map(({ what, reason }) => [what, '', '', `not had: ${reason}`])],
  );
}

/** @param {readonly import('./runtime.runner.mjs').RuntimeCell[]} cells */
function runtimes(cells) {
  const checks = [...new Set(cells.map(({ check }) => check))];
  const rows = [...new Set(cells.map(({ runtime, client }) => `${runtime} | ${client}`))].toSorted((a, b) =>
    a.localeCompare(b, 'en', { numeric: true }),
  );
  const markOf = (/** @type {string} */ row, /** @type {string} */ check) => {
    const cell = cells.find((each) => `${each.runtime} | ${each.client}` === row && each.check === check);
    return cell === undefined ? '' : cell.ok ? 'ok' : '**failed**';
  };
  return table(
    ['runtime', 'client', ...checks],
    rows.map((row) => [row, ...checks.map((check) => markOf(row, check))]),
  );
}

/** @param {ReadonlySet<string>} set of versions */
function sorted(set) {
  return [...set].toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).join(', ');
}

/**
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
function table(head, rows) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.join(' | ')} |`;
  return `${[line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')}\n`;
}
