import { mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {import('./package.stage.mjs').PackageStage} PackageStage */

/**
 * What of the package an import of it reads, whichever of its files are ES modules: Node's own record of coverage names them all.
 * @param {PackageStage} stage
 * @returns {Promise<{ files: number, bytes: number }>}
 */
export async function readLoaded(stage) {
  const folder = await mkdtemp(join(tmpdir(), 'loaded-'));
  try {
    const text = `import 'reflect-metadata'; import '${stage.manifest.name}';`;
    const { ok, output } = await stage.runWith({ NODE_V8_COVERAGE: folder }, 'loaded.mjs', text);
    if (!ok) throw new Error(`the package cannot be imported:\n${output}`);
    const records = await Promise.all(
      (await readdir(folder)).map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))),
    );
    const scripts = records.flatMap(({ result }) =>
      result.map((/** @type {{ url: string }} */ { url }) => url),
    );
    const ours = scripts
      .filter((url) => url.startsWith('file:'))
      .map((url) => fileURLToPath(url))
      .filter((file) => file.includes(join(sep, 'node_modules', stage.manifest.name, sep)));
    const sizes = await Promise.all(ours.map(async (file) => (await stat(file)).size));
    if (sizes.length === 0) throw new Error('no file of the package is seen to be loaded');
    return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
