import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { runCommand } from '../redis/command.runner.mjs';
import { installDebianPackage, packageFolder } from '../redis/debian.installer.mjs';
import { Unavailable } from '../test/unavailable.mjs';

/** @typedef {{ path: string, env: Record<string, string> }} Browser */

const ON_PATH = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
/** In Debian's package: the program itself, since the script that starts it has paths of a whole system. */
const PACKAGED = 'usr/lib/chromium/chromium';

/**
 * Finds Chromium: on PATH, in the private cache, or in Debian's package, which is unpacked into that cache without root.
 * @returns {Promise<Browser>}
 * @throws {Unavailable}
 */
export async function findChromium() {
  for (const name of ON_PATH) {
    const folder = (process.env['PATH'] ?? '').split(delimiter).find((each) => existsSync(join(each, name)));
    if (folder !== undefined && (await doesRun({ path: join(folder, name), env: {} })))
      return { path: join(folder, name), env: {} };
  }
  const folder = packageFolder('chromium');
  const cached = await describe(folder);
  if (existsSync(cached.path)) return cached;
  /** @type {string[]} */
  const tried = [];
  /** @param {string} root */
  const prepare = async (root) =>
    (await doesRun(await describe(root))) ? null : 'its Chromium does not run';
  if (await installDebianPackage({ name: 'chromium', folder, isWhole: true, prepare }, tried))
    return await describe(folder);
  throw new Unavailable(['no Chromium: apt-get install chromium', ...tried].join('; '));
}

/** @param {Browser} browser */
async function doesRun({ path, env }) {
  const { ok, output } = await runCommand(path, ['--version', '--no-sandbox'], { env, timeout: 20_000 });
  return ok && /Chrom/.test(output);
}

/**
 * @param {string} root an unpacked package
 * @returns {Promise<Browser>}
 */
async function describe(root) {
  const found = await Promise.all([join(root, 'usr/lib'), join(root, 'lib')].map(libraryFolders));
  const inherited = process.env['LD_LIBRARY_PATH'];
  const paths = [...found.flat(), ...(inherited ? [inherited] : [])];
  return { path: join(root, PACKAGED), env: { LD_LIBRARY_PATH: paths.join(delimiter) } };
}

/**
 * The folders of libraries, and those inside of them: a package such as PulseAudio's finds its own by a path of a whole system.
 * @param {string} folder
 */
async function libraryFolders(folder) {
  const ofMachine = (await readdir(folder).catch(() => [])).filter((name) => name.includes('-linux-'));
  const nested = await Promise.all(
    ofMachine.map(async (name) => {
      const path = join(folder, name);
      const entries = await readdir(path, { withFileTypes: true });
      return [path, ...entries.filter((each) => each.isDirectory()).map((each) => join(path, each.name))];
    }),
  );
  return nested.flat();
}
