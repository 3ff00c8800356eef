import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../build/node.runner.mjs';
import { runCommand } from '../redis/command.runner.mjs';

const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const WITHIN = 600_000;

/**
 * A folder with these packages, from an earlier run where one asked for the same.
 * @param {string} name
 * @param {readonly string[]} packages
 * @param {boolean} fresh whether an earlier run's is thrown away
 * @returns {Promise<string>}
 */
export async function install(name, packages, fresh) {
  const key = createHash('sha1')
    .update([...packages, process.version].join('\n'))
    .digest('hex')
    .slice(0, 10);
  const folder = join(cacheFolder(), `${name}-${key}`);
  if (fresh) await rm(folder, { recursive: true, force: true });
  if (existsSync(folder)) return folder;
  await mkdir(cacheFolder(), { recursive: true });
  const work = await mkdtemp(join(cacheFolder(), 'work-'));
  try {
    await writeFile(join(work, 'package.json'), '{ "private": true }\n');
    const quiet = [
      '--no-audit',
      '--no-fund',
      ...(fresh ? [] : ['--prefer-offline']),
      '--loglevel=error',
      '--ignore-scripts',
    ];
    const { ok, output } = await runCommand(NPM, ['install', ...quiet, ...packages], {
      cwd: work,
      timeout: WITHIN,
    });
    if (!ok) throw new Error(`npm install of ${name} failed:\n${output}`);
    // Another run may have been faster with the same.
    await rename(work, folder).catch((/** @type {NodeJS.ErrnoException} */ error) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
    return folder;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Packs the library and unpacks it, as npm would install it.
 * @param {string} folder where it is to stand
 * @returns {Promise<void>}
 */
export async function unpackLibrary(folder) {
  await mkdir(folder, { recursive: true });
  const packed = await runCommand(
    NPM,
    ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder],
    {
      cwd: ROOT,
    },
  );
  const file = /\S+\.tgz/.exec(packed.output)?.[0];
  if (!packed.ok || !file) throw new Error(`npm pack failed:\n${packed.output}`);
  const unpacked = await runCommand('tar', [
    '-xzf',
    join(folder, file),
    '--strip-components=1',
    '-C',
    folder,
  ]);
  if (!unpacked.ok) throw new Error(`the tarball cannot be unpacked:\n${unpacked.output}`);
}

/**
 * @param {string} target what is linked to
 * @param {string} path
 */
export async function link(target, path) {
  await mkdir(dirname(path), { recursive: true });
  await symlink(target, path, 'junction');
}

/**
 * @param {string} folder of a package
 * @returns {Promise<string>} its version
 */
export async function versionOf(folder) {
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  return version;
}

/** Where this machine's user keeps caches. */
export function cacheFolder() {
  const base = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(base, 'nestjs-distributed-lock', 'matrix');
}
