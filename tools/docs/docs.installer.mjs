import { copyFile, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../build/node.runner.mjs';
import { runCommand } from '../redis/command.runner.mjs';
import { Unavailable } from '../test/unavailable.mjs';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const INSTALLED = join(FOLDER, 'node_modules');

/**
 * Installs the tools of the documentation, which the library and its tests do not need, unless they are there. Several processes may do it at
 * once: each installs into a folder of its own, the first one to finish wins, and the others use its copy.
 * @throws {Unavailable} if the registry of npm cannot be reached
 */
export async function installDocsTools() {
  if (await isCurrent()) return;
  const cache = join(ROOT, 'dist/.cache');
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, 'docs-tools-'));
  try {
    for (const file of ['package.json', 'package-lock.json', '.npmrc'])
      await copyFile(join(FOLDER, file), join(work, file));
    const { ok, output } = await runCommand('npm', ['ci', '--no-audit', '--no-fund'], { cwd: work });
    if (!ok) throw new Unavailable(`the tools of the documentation cannot be installed: ${output}`);
    if (await isCurrent()) return;
    await rm(INSTALLED, { recursive: true, force: true });
    await rename(join(work, 'node_modules'), INSTALLED).catch(
      (/** @type {NodeJS.ErrnoException} */ error) => {
        if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
      },
    );
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Whether what is installed is as new as the lock file. */
async function isCurrent() {
  const [lock, installed] = await Promise.all(
    ['package-lock.json', 'node_modules/.package-lock.json'].map((file) =>
      stat(join(FOLDER, file)).then(
        ({ mtimeMs }) => mtimeMs,
        () => undefined,
      ),
    ),
  );
  return lock !== undefined && installed !== undefined && installed >= lock;
}
