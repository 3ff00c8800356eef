import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './node.runner.mjs';

const OUTPUT = /\.(?:js|js\.map|d\.ts|mjs|mjs\.map|d\.mts)$/;

/**
 * Removes built files whose source is gone: an incremental compiler leaves them, and they would be packed.
 * @param {string} source folder of the sources
 * @param {string} target folder of what was built from them
 */
export async function removeOrphans(source, target) {
  const files = await readdir(join(ROOT, target), { recursive: true }).catch(() => []);
  for (const file of files) {
    if (!OUTPUT.test(file)) continue;
    const stem = join(ROOT, source, file.replace(OUTPUT, ''));
    if (!existsSync(`${stem}.ts`) && !existsSync(`${stem}.mjs`)) await rm(join(ROOT, target, file));
  }
}
