import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ROOT, runNode } from '../build/node.runner.mjs';

const SOURCES = [
  'libs',
  'lua',
  'test',
  'tools',
  'package.json',
  'tsconfig.json',
  'tsconfig.base.json',
  'vitest.config.ts',
];
const LEFT_OUT = new Set(['node_modules', 'dist']);

/** A copy of the sources, in which defects do no harm. */
export class SourceCopy {
  /** @param {string} folder */
  constructor(folder) {
    this.folder = folder;
  }

  static async make() {
    const copy = new SourceCopy(await mkdtemp(join(tmpdir(), 'mutation-')));
    const filter = (/** @type {string} */ source) => !LEFT_OUT.has(basename(source));
    for (const source of SOURCES) await cp(join(ROOT, source), copy.at(source), { recursive: true, filter });
    await symlink(join(ROOT, 'node_modules'), copy.at('node_modules'), 'dir');
    return copy;
  }

  /** @param {string} path */
  at(path) {
    return join(this.folder, path);
  }

  /**
   * Puts a defect in. The sources have to have the text exactly once: a mutation that changes nothing proves nothing.
   * @param {import('./mutations.mjs').Mutation} mutation
   * @returns {Promise<() => Promise<void>>} takes it out again
   */
  async mutate({ name, file, from, to }) {
    const text = await readFile(this.at(file), 'utf8');
    if (text.split(from).length !== 2)
      throw new Error(`"${name}" does not fit any more: ${file} must have this exactly once:\n${from}`);
    const restore = () => this.#write(file, text);
    try {
      await this.#write(
        file,
        text.replace(from, () => to),
      );
    } catch (error) {
      // The defect must not stay for the mutations that follow.
      await restore();
      throw error;
    }
    return restore;
  }

  async remove() {
    await rm(this.folder, { recursive: true, force: true });
  }

  /**
   * @param {string} file
   * @param {string} text
   */
  async #write(file, text) {
    await writeFile(this.at(file), text);
    if (file.endsWith('.lua') && !(await runNode(this.at('tools/lua/embed.mjs'), [])))
      throw new Error(`${file} could not be embedded`);
  }
}
