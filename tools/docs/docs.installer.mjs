import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../redis/command.runner.mjs';
import { Unavailable } from '../test/unavailable.mjs';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/**
 * Installs the tools of the documentation, which the library and its tests do not need, unless they are there.
 * @throws {Unavailable} if the registry of npm cannot be reached
 */
export async function installDocsTools() {
  const lock = `${FOLDER}package-lock.json`;
  const installed = `${FOLDER}node_modules/.package-lock.json`;
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  const { ok, output } = await runCommand('npm', ['ci', '--prefix', FOLDER, '--no-audit', '--no-fund']);
  if (!ok) throw new Unavailable(`the tools of the documentation cannot be installed: ${output}`);
}
