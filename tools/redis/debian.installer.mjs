import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DOWNLOADED_WITHIN, runCommand } from './command.runner.mjs';

/** @typedef {Extract<import('./redis.types.js').RedisServer, { kind: 'binary' }>} RedisBinary */

const REDIS = 'redis-tools';
/** Debian links redis-server to this file of redis-tools; it acts by the name that it is called by. */
const PACKAGED_BINARY = 'usr/bin/redis-check-rdb';
/** The C library must be the machine's own. */
const NEVER_FETCHED = new Set(['libc6', 'libgcc-s1', 'libstdc++6']);

/**
 * What to install, and where.
 * @typedef {object} DebianPackage
 * @property {string} name
 * @property {string} folder where it is kept, see {@link packageFolder}
 * @property {boolean} [isWhole] with the packages that it needs in turn, and not those alone that it names itself
 * @property {(root: string) => Promise<string | null>} prepare completes the unpacked package, and says what is wrong with it
 */

/** @returns {Promise<RedisBinary | null>} what an earlier run installed */
export async function cachedRedis() {
  return describe(packageFolder('redis'), 'from the private cache');
}

/**
 * Installs Debian's Redis into the private cache, without root.
 * @param {string[]} tried gets the reason where it cannot be done
 * @returns {Promise<RedisBinary | null>}
 */
export async function installDebianRedis(tried) {
  const folder = packageFolder('redis');
  const isInstalled = await installDebianPackage({ name: REDIS, folder, prepare: prepareRedis }, tried);
  return isInstalled ? describe(folder, "Debian's package, unpacked into the private cache") : null;
}

/**
 * Unpacks a package of Debian into the private cache, without root. Several processes may do it at once: the first one to
 * finish wins, and the others use its copy.
 * @param {DebianPackage} wanted
 * @param {string[]} tried gets the reason where it cannot be done
 * @returns {Promise<boolean>}
 */
export async function installDebianPackage({ name, folder, isWhole = false, prepare }, tried) {
  if (process.platform !== 'linux' || !existsSync('/etc/debian_version')) return false;
  await mkdir(cacheFolder(), { recursive: true });
  const work = await mkdtemp(join(cacheFolder(), 'work-'));
  try {
    const problem = (await unpackPackage(name, work, isWhole)) ?? (await prepare(join(work, 'root')));
    if (problem !== null) {
      tried.push(`apt-get: ${problem}`);
      return false;
    }
    await rename(join(work, 'root'), folder).catch((/** @type {NodeJS.ErrnoException} */ error) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
    return true;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Where a package is kept in the private cache.
 * @param {string} name
 */
export function packageFolder(name) {
  return join(cacheFolder(), `${name}-${process.platform}-${process.arch}`);
}

/**
 * @param {string} root
 * @returns {Promise<string | null>} why it does not work
 */
async function prepareRedis(root) {
  await copyFile(join(root, PACKAGED_BINARY), join(root, 'redis-server'));
  const binary = await describe(root, 'new');
  if (!binary) return `${REDIS} holds no ${PACKAGED_BINARY}`;
  const version = await runCommand(binary.path, ['--version'], { env: binary.env });
  return version.ok ? null : lastLine(version.output);
}

/**
 * Fills `<work>/root`.
 * @param {string} name of the package
 * @param {string} work
 * @param {boolean} isWhole
 * @returns {Promise<string | null>} why it did not work
 */
async function unpackPackage(name, work, isWhole) {
  const root = join(work, 'root');
  const packages = join(work, 'packages');
  for (const folder of ['state/lists/partial', 'cache/archives/partial', 'packages', 'root']) {
    await mkdir(join(work, folder), { recursive: true });
  }
  const options = [
    ['Dir::State', join(work, 'state')],
    ['Dir::State::Lists', join(work, 'state/lists')],
    ['Dir::State::Status', '/var/lib/dpkg/status'],
    ['Dir::Cache', join(work, 'cache')],
    ['APT::Sandbox::User', ''],
  ].flatMap(([key, value]) => ['-o', `${key}=${value}`]);

  // One unreachable source makes `update` fail although the others suffice: the download decides.
  const update = await runCommand('apt-get', [...options, 'update'], { timeout: DOWNLOADED_WITHIN });
  const needed = isWhole ? neededPackages : missingLibraries;
  const names = [...new Set([name, ...(await needed(name, options))])];
  const download = await runCommand('apt-get', [...options, 'download', ...names], {
    cwd: packages,
    timeout: DOWNLOADED_WITHIN,
  });
  if (!download.ok) return lastLine(update.ok ? download.output : `${update.output}\n${download.output}`);
  for (const file of await readdir(packages)) {
    const unpacked = await runCommand('dpkg', ['-x', join(packages, file), root]);
    if (!unpacked.ok) return lastLine(unpacked.output);
  }
  return null;
}

/**
 * The libraries of a package that this machine does not have.
 * @param {string} packageName
 * @param {string[]} options
 */
async function missingLibraries(packageName, options) {
  const { output } = await runCommand('apt-cache', [...options, 'depends', packageName]);
  const names = [...output.matchAll(/^\s*Depends: ([a-z0-9][a-z0-9.+-]*)$/gm)].map(([, name = '']) => name);
  const missing = [];
  for (const name of names) {
    if (NEVER_FETCHED.has(name)) continue;
    const { ok, output: status } = await runCommand('dpkg-query', ['-W', '-f', '${Status}', name]);
    if (!ok || !status.startsWith('install ok installed')) missing.push(name);
  }
  return missing;
}

/**
 * All packages that apt would install for a package on this machine.
 * @param {string} packageName
 * @param {string[]} options
 */
async function neededPackages(packageName, options) {
  const simulated = ['--simulate', 'install', '--no-install-recommends', packageName];
  const { output } = await runCommand('apt-get', [...options, ...simulated]);
  const names = [...output.matchAll(/^Inst (\S+)/gm)].map(([, name = '']) => name);
  return names.filter((name) => !NEVER_FETCHED.has(name));
}

/**
 * @param {string} root an unpacked package
 * @param {string} how
 * @returns {Promise<RedisBinary | null>}
 */
async function describe(root, how) {
  const path = join(root, 'redis-server');
  if (!existsSync(path)) return null;
  const folders = await readdir(join(root, 'usr/lib')).catch(() => []);
  const libraries = folders
    .filter((name) => name.includes('-linux-'))
    .map((name) => join(root, 'usr/lib', name));
  const inherited = process.env['LD_LIBRARY_PATH'];
  const env = { LD_LIBRARY_PATH: [...libraries, ...(inherited ? [inherited] : [])].join(':') };
  return { kind: 'binary', path, how, env };
}

/** Where this machine's user keeps caches. */
function cacheFolder() {
  const base =
    process.env['XDG_CACHE_HOME'] ||
    (process.platform === 'darwin' ? join(homedir(), 'Library/Caches') : join(homedir(), '.cache'));
  return join(base, 'nestjs-distributed-lock');
}

/** @param {string} text */
function lastLine(text) {
  return text.trim().split('\n').at(-1) ?? '';
}
