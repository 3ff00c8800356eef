import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../redis/command.runner.mjs';
import { firstSeedOf, readCommit } from '../simulation/commit.seeds.mjs';
import { findNode } from '../simulation/node.versions.mjs';
import { Unavailable } from '../test/unavailable.mjs';
import { install } from './installs.mjs';

/**
 * What runs JavaScript: the arguments come before the script's.
 * @typedef {{ what: string, command: string, args: readonly string[] }} Runtime
 */

/** @typedef {Runtime | { what: string, reason: string }} FoundRuntime */

/** The Nodes beside the one that runs this. */
const NODES = ['22', '24', '26'];

/** The packages that carry another runtime, one for each platform in a folder of its own. */
const OTHERS = [
  { what: 'Bun', name: 'bun', scope: '@oven', binary: /^bin\/bun(?:\.exe)?$/, args: [] },
  {
    what: 'Deno',
    name: 'deno',
    scope: '@deno',
    binary: /^deno(?:\.exe)?$/,
    args: ['run', '--allow-all', '--no-lock'],
  },
];

/** Of all of them, the names that {@link findRuntimes} takes. */
const RUNTIME_NAMES = [...NODES.map((major) => `Node ${major}`), ...OTHERS.map(({ what }) => what)];

/** What most teams run. */
const ALWAYS = 'Node 24';

/**
 * @param {string} wanted `all`; `turn`: Node 24 and one of the others, by the commit; or names, separated by commas
 * @returns {Promise<string[]>}
 */
export async function namesOfRuntimes(wanted) {
  if (wanted === 'all') return RUNTIME_NAMES;
  if (wanted !== 'turn') return wanted.split(',').map((name) => name.trim());
  const others = RUNTIME_NAMES.filter((name) => name !== ALWAYS);
  try {
    const turn = firstSeedOf(await readCommit()) % others.length;
    return [ALWAYS, ...others.slice(turn, turn + 1)];
  } catch (error) {
    // Without a commit nothing says whose turn it is.
    if (!(error instanceof Unavailable)) throw error;
    console.log(`only ${ALWAYS}: ${error.message}`);
    return [ALWAYS];
  }
}

/**
 * @param {readonly string[]} names as of {@link namesOfRuntimes}
 * @returns {Promise<FoundRuntime[]>}
 */
export async function findRuntimes(names) {
  return await Promise.all(
    names.map(async (name) => {
      const other = OTHERS.find(({ what }) => what === name);
      if (other !== undefined) return await findOther(other);
      const found = await findNode(name.replace('Node ', ''));
      return 'reason' in found ? found : { what: found.what, command: found.path, args: [] };
    }),
  );
}

/**
 * @param {(typeof OTHERS)[number]} other
 * @returns {Promise<FoundRuntime>}
 */
async function findOther({ what, name, scope, binary, args }) {
  try {
    const folder = join(await install(name, [name], false), 'node_modules', scope);
    const files = await readdir(folder, { recursive: true });
    // Some platforms have several packages, of which not each runs on each machine.
    for (const file of files) {
      const [, ...rest] = file.split(/[\\/]/);
      if (!binary.test(rest.join('/'))) continue;
      const command = join(folder, file);
      const { ok, output } = await runCommand(command, ['--version']);
      const version = /\d+\.\d+\.\d+/.exec(output)?.[0];
      if (ok && version !== undefined) return { what: `${what} ${version}`, command, args };
    }
    return { what, reason: `its packages have no binary for this machine` };
  } catch (error) {
    return { what, reason: String(error).split('\n')[0] ?? '' };
  }
}
