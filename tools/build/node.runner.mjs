import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The repository's folder. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Runs a Node script in the repository's folder, with its output in ours.
 * @param {string} script
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} [env] added to ours
 * @returns {Promise<boolean>} whether it ended with 0
 */
export function runNode(script, args, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script, ...args], {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
  });
}
