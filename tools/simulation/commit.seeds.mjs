import { ROOT } from '../build/node.runner.mjs';
import { runCommand } from '../redis/command.runner.mjs';
import { Unavailable } from '../test/unavailable.mjs';

/**
 * The commit that is checked out.
 * @returns {Promise<string>}
 * @throws {Unavailable}
 */
export async function readCommit() {
  const { ok, output } = await runCommand('git', ['rev-parse', 'HEAD'], { cwd: ROOT });
  if (!ok)
    throw new Unavailable(`new seeds follow from the commit, which git does not name: ${output.trim()}`);
  return output.trim();
}

/**
 * The first seed of a commit: a rerun has the same seeds, and another commit has others.
 * @param {string} commit in hex digits
 */
export function firstSeedOf(commit) {
  return Number.parseInt(commit.slice(0, 8), 16);
}

/**
 * Each rule that was broken, with the command that repeats its run.
 * @param {string} output of `npm run simulate`
 * @param {readonly string[]} options those of its place
 */
export function brokenRules(output, options) {
  return [...output.matchAll(/^seed (\d+): .*$/gm)].map(
    ([line, seed]) => `${line}\n       again: npm run simulate -- ${[...options, '--seed', seed].join(' ')}`,
  );
}
