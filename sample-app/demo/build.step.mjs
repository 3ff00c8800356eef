import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LIBRARY = 'dist/esm/index.js';
const APP = 'dist/sample-app/main.js';
const BUILD = 'tools/build/build.mjs';

/**
 * Brings library and sample app up to date; its output is shown only where it fails.
 * @param {AbortSignal} signal
 */
export async function build(signal) {
  const child = spawn(process.execPath, [BUILD], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], signal });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`the build failed:\n${output.trim()}`);
}

/**
 * @param {boolean} unsafe then the library is not loaded
 * @throws {Error} a sentence, when something was never built
 */
export function checkBuilt(unsafe) {
  const missing = (unsafe ? [APP] : [APP, LIBRARY]).filter((file) => !existsSync(`${ROOT}/${file}`));
  if (missing.length > 0) throw new Error(`${missing.join(' and ')} missing: run "npm run build"`);
}
