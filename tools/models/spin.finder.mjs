import { join } from 'node:path';
import { runCommand } from '../redis/command.runner.mjs';
import { installDebianPackage, packageFolder } from '../redis/debian.installer.mjs';
import { Unavailable } from '../test/unavailable.mjs';

/** @typedef {{ spin: string, compiler: string }} SpinTools */

const PACKAGED = 'usr/bin/spin';
const COMPILERS = ['gcc', 'cc', 'clang'];

/**
 * Finds SPIN, on PATH, in the private cache, or in Debian's package; and the C compiler that it needs.
 * @returns {Promise<SpinTools>}
 * @throws {Unavailable}
 */
export async function findSpin() {
  const compiler = await firstThatRuns(COMPILERS, ['--version'], /./);
  if (compiler === undefined) throw new Unavailable('no C compiler on PATH: apt-get install gcc');
  const cached = join(packageFolder('spin'), PACKAGED);
  /** @type {string[]} */
  const tried = [];
  const spin = (await firstSpin('spin', cached)) ?? ((await install(tried)) ? cached : undefined);
  if (spin === undefined)
    throw new Unavailable(['no spin: apt-get install spin, or brew install spin', ...tried].join('; '));
  return { spin, compiler };
}

/** @param {string[]} tried */
function install(tried) {
  const folder = packageFolder('spin');
  /** @param {string} root */
  const prepare = async (root) =>
    (await firstSpin(join(root, PACKAGED))) === undefined ? `the package has no ${PACKAGED} that runs` : null;
  return installDebianPackage({ name: 'spin', folder, prepare }, tried);
}

/** @param {string[]} candidates */
function firstSpin(...candidates) {
  // Other programs have this name, too.
  return firstThatRuns(candidates, ['-V'], /^Spin Version/);
}

/**
 * @param {readonly string[]} candidates
 * @param {readonly string[]} args
 * @param {RegExp} expected what it prints
 */
async function firstThatRuns(candidates, args, expected) {
  for (const candidate of candidates) {
    const { ok, output } = await runCommand(candidate, args, { timeout: 10_000 });
    if (ok && expected.test(output)) return candidate;
  }
  return undefined;
}
