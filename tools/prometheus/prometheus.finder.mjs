import { join } from 'node:path';
import { runCommand } from '../redis/command.runner.mjs';
import { installDebianPackage, packageFolder } from '../redis/debian.installer.mjs';
import { Unavailable } from '../test/unavailable.mjs';

/** @typedef {{ prometheus: string, promtool: string }} PrometheusTools */

/** The folder of the programs in Debian's package. */
const PACKAGED = 'usr/bin';

/**
 * Finds Prometheus and promtool, on PATH, in the private cache, or in Debian's package.
 * @returns {Promise<PrometheusTools>}
 * @throws {Unavailable}
 */
export async function findPrometheus() {
  const cached = join(packageFolder('prometheus'), PACKAGED);
  /** @type {string[]} */
  const tried = [];
  const found =
    (await toolsIn('')) ?? (await toolsIn(cached)) ?? ((await install(tried)) ? at(cached) : null);
  if (found === null)
    throw new Unavailable(
      ['no prometheus and promtool: apt-get install prometheus, or brew install prometheus', ...tried].join(
        '; ',
      ),
    );
  return found;
}

/** @param {string[]} tried */
function install(tried) {
  /** @param {string} root */
  const prepare = async (root) =>
    (await toolsIn(join(root, PACKAGED))) === null
      ? `the package has no ${PACKAGED}/promtool that runs`
      : null;
  return installDebianPackage({ name: 'prometheus', folder: packageFolder('prometheus'), prepare }, tried);
}

/**
 * @param {string} folder empty for PATH
 * @returns {Promise<PrometheusTools | null>}
 */
async function toolsIn(folder) {
  const tools = at(folder);
  for (const tool of [tools.prometheus, tools.promtool]) {
    const { ok, output } = await runCommand(tool, ['--version'], { timeout: 10_000 });
    if (!ok || !/^(?:prometheus|promtool), version/m.test(output)) return null;
  }
  return tools;
}

/** @param {string} folder */
function at(folder) {
  return { prometheus: join(folder, 'prometheus'), promtool: join(folder, 'promtool') };
}
