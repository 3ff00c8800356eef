import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Defect } from './broken.locks.js';

/** Of this repository, from the sources. */
const ROOT = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../../' : '../../../../', import.meta.url),
);

/** What an ES module loads: CommonJS has a copy of its own of all but these. */
const LIBRARY = /^(?:esm\/.*|cjs\/(?:core|memory))\.js$/;
/** What a worker is made of. */
const PARTS = ['package.json', 'dist/esm', 'dist/cjs', 'dist/test'];

/** A copy of the build, in which defects do no harm. */
export class BrokenBuild {
  private constructor(private readonly folder: string) {}

  /** @throws when a defect does not fit exactly once: one that changes nothing proves nothing */
  static async make(defects: readonly Defect[]): Promise<BrokenBuild> {
    const build = new BrokenBuild(await mkdtemp(join(tmpdir(), 'broken-')));
    for (const part of PARTS) await cp(join(ROOT, part), join(build.folder, part), { recursive: true });
    await symlink(join(ROOT, 'node_modules'), join(build.folder, 'node_modules'), 'dir');
    for (const defect of defects) await build.#put(defect);
    return build;
  }

  /** Where its workers stand. */
  get workers(): URL {
    return pathToFileURL(join(this.folder, 'dist/test/workers/chaos/'));
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  async #put({ from, to }: Defect): Promise<void> {
    const folder = join(this.folder, 'dist');
    const names = (await readdir(folder, { recursive: true })).map((name) => name.replaceAll('\\', '/'));
    const files = await Promise.all(
      names.filter((name) => LIBRARY.test(name)).map((name) => readText(join(folder, name))),
    );
    const fitting = files.filter(({ text }) => text.includes(from));
    const [found] = fitting;
    if (found === undefined || fitting.length > 1 || found.text.split(from).length !== 2)
      throw new Error(`the defect does not fit: the library must have this exactly once:\n${from}`);
    await writeFile(found.path, rehash(found.text.replace(from, () => to)));
  }
}

async function readText(path: string): Promise<{ readonly path: string; readonly text: string }> {
  return { path, text: await readFile(path, 'utf8') };
}

/** Redis knows a script by its hash: one that was changed has another, as has each that includes a part that was changed. */
function rehash(text: string): string {
  const parts = new Map(
    [...text.matchAll(/^const (\w+Part) = `([^`]*)`/gm)].map(([, name, part]) => [name, part]),
  );
  return text.replaceAll(
    /sha1: "[\da-f]{40}"([^`]*text: `)([^`]*)`/g,
    (_, between: string, script: string) => {
      const whole = script.replaceAll(/\$\{(\w+)\}/g, (_place, name: string) => parts.get(name) ?? name);
      return `sha1: "${createHash('sha1').update(whole).digest('hex')}"${between}${script}\``;
    },
  );
}
