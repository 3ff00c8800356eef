import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** Ticks of a CPU a second, and bytes of a page, as /proc counts them; undefined where there is no /proc. */
const UNITS = unitsOf();

/**
 * What processes have used so far; NaN where the system does not tell.
 * @param {readonly number[]} pids
 * @returns {Promise<{ cpu: number, memory: number }>} CPU in ms, and resident memory in MB
 */
export async function usageOf(pids) {
  if (UNITS === undefined) return { cpu: NaN, memory: NaN };
  const { ticks, page } = UNITS;
  const fields = await Promise.all(pids.map((pid) => statOf(pid)));
  const sum = (/** @type {(stat: readonly string[]) => number} */ of) =>
    fields.reduce((total, stat) => total + of(stat), 0);
  return {
    // The fields after the name, which may have spaces: user and system time are the 14th and the 15th of all, pages the 24th.
    cpu: (sum((stat) => Number(stat[11]) + Number(stat[12])) * 1000) / ticks,
    memory: (sum((stat) => Number(stat[21])) * page) / 2 ** 20,
  };
}

/** @param {number} pid */
async function statOf(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function unitsOf() {
  if (process.platform !== 'linux') return undefined;
  const value = (/** @type {string} */ name) => Number(execFileSync('getconf', [name], { encoding: 'utf8' }));
  return { ticks: value('CLK_TCK'), page: value('PAGESIZE') };
}
