import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../build/node.runner.mjs';
import { runCommand } from '../redis/command.runner.mjs';

/** How npm is called here. */
export const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/**
 * @typedef {object} Manifest
 * @property {string} name
 * @property {string} version
 * @property {unknown} exports
 * @property {string} main
 * @property {string} types
 * @property {string} schematics
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [peerDependencies]
 * @property {Record<string, string>} bin
 * @property {Record<string, { optional?: boolean }>} [peerDependenciesMeta]
 */

/** An empty application into which the packed library is installed, with its peers linked from here. */
export class PackageStage {
  /**
   * @param {object} parts
   * @param {string} parts.folder
   * @param {Manifest} parts.manifest
   * @param {readonly string[]} parts.files what the tarball holds
   * @param {{ packed: number, unpacked: number, declarations: number }} parts.bytes
   * @param {string} parts.tarball
   */
  constructor({ folder, manifest, files, bytes, tarball }) {
    this.folder = folder;
    this.manifest = manifest;
    this.files = files;
    this.bytes = bytes;
    this.tarball = tarball;
    this.installed = join(folder, 'node_modules', manifest.name);
  }

  static async open() {
    const folder = await mkdtemp(join(tmpdir(), 'package-'));
    try {
      return await PackageStage.#fill(folder);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** @param {string} folder */
  static async #fill(folder) {
    const packed = await runCommand(
      NPM,
      ['pack', '--json', '--silent', '--ignore-scripts', '--pack-destination', folder],
      {
        cwd: ROOT,
      },
    );
    const json = packed.output.slice(packed.output.search(/^\[/m), packed.output.lastIndexOf(']') + 1);
    if (!packed.ok || !json) throw new Error(`npm pack failed:\n${packed.output}`);
    const [{ filename, files, size, unpackedSize }] = JSON.parse(json);
    const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    const declarations = files
      .filter((/** @type {{ path: string }} */ { path }) => path.endsWith('.d.ts'))
      .reduce((/** @type {number} */ sum, /** @type {{ size: number }} */ file) => sum + file.size, 0);
    const stage = new PackageStage({
      folder,
      manifest,
      files: files.map((/** @type {{ path: string }} */ { path }) => path),
      bytes: { packed: size, unpacked: unpackedSize, declarations },
      tarball: join(folder, filename),
    });
    await mkdir(stage.installed, { recursive: true });
    const unpacked = await runCommand('tar', [
      '-xzf',
      join(folder, filename),
      '--strip-components=1',
      '-C',
      stage.installed,
    ]);
    if (!unpacked.ok) throw new Error(`the tarball cannot be unpacked:\n${unpacked.output}`);
    for (const name of [manifest.dependencies, manifest.peerDependencies].flatMap((named) =>
      Object.keys(named ?? {}),
    )) {
      await stage.link(name);
    }
    await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
    return stage;
  }

  /** @param {string} name a package that is installed here */
  async link(name) {
    const target = join(this.folder, 'node_modules', name);
    await mkdir(dirname(target), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), target, 'junction');
  }

  /** @param {string} name a package that was linked */
  unlink(name) {
    return rm(join(this.folder, 'node_modules', name), { recursive: true });
  }

  /**
   * Runs a program in the application.
   * @param {string} file its name decides whether it is an ES module
   * @param {string} text
   * @param {...string} flags of node
   * @returns {Promise<{ ok: boolean, output: string }>}
   */
  run(file, text, ...flags) {
    return this.runWith({}, file, text, ...flags);
  }

  /**
   * The same, with variables of the environment.
   * @param {Readonly<Record<string, string>>} variables
   * @param {string} file
   * @param {string} text
   * @param {...string} flags
   * @returns {Promise<{ ok: boolean, output: string }>}
   */
  async runWith(variables, file, text, ...flags) {
    await writeFile(join(this.folder, file), text);
    const settings = { cwd: this.folder, env: variables };
    const { ok, output } = await runCommand(process.execPath, [...flags, file], settings);
    return { ok, output: output.trim() };
  }

  close() {
    return rm(this.folder, { recursive: true, force: true });
  }
}
