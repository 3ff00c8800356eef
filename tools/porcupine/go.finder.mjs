import { searchPath } from '../redis/path.search.mjs';

/** Where installers of Go put it beside PATH. */
const FOLDERS = [
  '/usr/local/go/bin',
  '/opt/homebrew/bin',
  '/usr/local/bin',
  '/home/linuxbrew/.linuxbrew/bin',
];

const NAME = process.platform === 'win32' ? 'go.exe' : 'go';

/**
 * Finds the Go command: on PATH, then where it is usually installed.
 * @param {readonly string[]} [further] instead of the usual folders
 * @returns {Promise<string | undefined>} its path
 */
export async function findGo(further = FOLDERS) {
  return searchPath([NAME], further);
}
