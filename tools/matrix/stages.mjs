import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../build/node.runner.mjs';
import { PACKAGES, SHARED } from './cells.mjs';
import { install, link, unpackLibrary } from './installs.mjs';

const SOURCES = join(ROOT, 'test/matrix/apps');

/** @typedef {import('./cells.mjs').Combination} Combination */

/**
 * A folder in which the applications find one Nest and one ioredis, and the library, which finds the same ones: it is unpacked, and
 * Node looks for a package beside whoever asks.
 */
export class MatrixStages {
  /** @type {string[]} */
  #made = [];
  /** @type {Promise<string> | undefined} */
  #common;
  /** @type {Map<string, Promise<string>>} */
  #installs = new Map();
  /** @type {Map<string, Promise<string>>} */
  #stages = new Map();
  #fresh;

  /** @param {{ fresh: boolean }} options fresh: nothing that an earlier run installed */
  constructor({ fresh }) {
    this.#fresh = fresh;
  }

  /**
   * @param {Omit<Combination, 'format'>} combination both formats have one
   * @returns {Promise<string>} a folder with `esm/main.js` and `cjs/main.js`
   */
  get(combination) {
    const key = `${combination.nest} ${combination.ioredis} ${combination.redis}`;
    const begun = this.#stages.get(key) ?? this.#make(combination);
    this.#stages.set(key, begun);
    return begun;
  }

  /** @param {Omit<Combination, 'format'>} combination */
  async #make({ nest, ioredis, redis }) {
    const { dependencies = {} } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    const own = Object.entries(dependencies).map(([name, range]) => `${name}@${range}`);
    const [application, client, other] = await Promise.all([
      this.#install(`nest-${nest}`, [...PACKAGES[nest], ...SHARED, ...own]),
      this.#install(`ioredis-${ioredis}`, [`ioredis@${ioredis}`]),
      redis === undefined ? undefined : this.#install(`redis-${redis}`, [`redis@${redis}`]),
    ]);
    const folder = await mkdtemp(join(application, `ioredis-${ioredis}-`));
    this.#made.push(folder);
    const made = await this.#prepared(application);
    await cp(made, folder, { recursive: true });
    await link(join(client, 'node_modules/ioredis'), join(folder, 'node_modules/ioredis'));
    if (other !== undefined)
      await link(join(other, 'node_modules/redis'), join(folder, 'node_modules/redis'));
    return folder;
  }

  /**
   * Two combinations share what they have in common.
   * @param {string} name
   * @param {readonly string[]} packages
   */
  #install(name, packages) {
    const begun = this.#installs.get(name) ?? install(name, packages, this.#fresh);
    this.#installs.set(name, begun);
    return begun;
  }

  /**
   * What is the same in all of them: the library as npm would install it, and the compiled applications.
   * @param {string} near a folder to put it into
   */
  #prepared(near) {
    this.#common ??= (async () => {
      const folder = await mkdtemp(join(near, 'common-'));
      this.#made.push(folder);
      await Promise.all([
        unpackLibrary(join(folder, 'node_modules/nestjs-distributed-lock')),
        compile(join(folder, 'esm'), 'module'),
        compile(join(folder, 'cjs'), 'commonjs'),
      ]);
      return folder;
    })();
    return this.#common;
  }

  /** The installations stay for the next run; what was made of this one's library goes. */
  async close() {
    await Promise.all(this.#made.map((folder) => rm(folder, { recursive: true, force: true })));
  }
}

/**
 * Compiles the applications as a user's build would, without looking at types.
 * @param {string} folder
 * @param {'module' | 'commonjs'} type
 */
async function compile(folder, type) {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type }));
  const module = type === 'module' ? ts.ModuleKind.ES2022 : ts.ModuleKind.CommonJS;
  for (const file of await readdir(SOURCES)) {
    const { outputText } = ts.transpileModule(await readFile(join(SOURCES, file), 'utf8'), {
      fileName: file,
      compilerOptions: {
        target: ts.ScriptTarget.ES2022,
        module,
        esModuleInterop: true,
        experimentalDecorators: true,
        emitDecoratorMetadata: true,
      },
    });
    await writeFile(join(folder, file.replace(/\.ts$/, '.js')), outputText);
  }
}
