import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Changes that no version has yet: `npm run changeset:version` turns them into the next one.
 * @param {string} root
 * @returns {Promise<string[]>} their files, from the root
 */
export async function findChangesets(root) {
  const files = await readdir(join(root, '.changeset')).catch(() => []);
  return files
    .filter((file) => file.endsWith('.md') && file !== 'README.md')
    .map((file) => `.changeset/${file}`);
}
