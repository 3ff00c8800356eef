import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/**
 * Finds a command: on PATH, then in further folders.
 * @param {readonly string[]} names those that are tried, the best one first
 * @param {readonly string[]} further
 * @returns {Promise<string | undefined>} its path
 */
export async function searchPath(names, further) {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  for (const name of names) {
    for (const folder of [...folders, ...further]) {
      const path = join(folder, name);
      if (await isExecutable(path)) return path;
    }
  }
  return undefined;
}

/** @param {string} path */
export async function isExecutable(path) {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
