import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../redis/command.runner.mjs';

/** @typedef {import('./spin.finder.mjs').SpinTools} SpinTools */
/**
 * What SPIN found. `trouble`: why it did not look at all states.
 * @typedef {{ states: number, depth: number, memory: number, seconds: number, errors: number, trouble?: string | undefined }} Exploration memory in MB
 */

/** An exploration that takes longer, in ms, hangs. */
const HANGS_AFTER = 900_000;

/** More memory than this is not taken, in MB. */
const MEMORY = 4000;

/** Steps of the longest path. A path that is longer is trouble, not an end. */
const DEPTH = 3_000_000;

/** Steps of the paths on which a defect is looked for. One transition has about ten. */
const SHORT = { first: 50, growth: 1.3, longest: 400 };

/** The verifier of one text of a model, in a folder of its own. */
export class Explorer {
  /**
   * @param {SpinTools} tools
   * @param {string} folder
   */
  constructor(tools, folder) {
    this.tools = tools;
    this.folder = folder;
  }

  /**
   * @template T
   * @param {SpinTools} tools
   * @param {string} text of the model
   * @param {(explorer: Explorer) => Promise<T>} use
   */
  static async use(tools, text, use) {
    const folder = await mkdtemp(join(tmpdir(), 'spin-'));
    try {
      await writeFile(join(folder, 'model.pml'), text);
      return await use(new Explorer(tools, folder));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /**
   * Looks at all states, and stops at the first error.
   * @returns {Promise<Exploration>}
   */
  async explore() {
    const problem = await this.#compile(['-O1']);
    return problem === undefined ? this.#run(DEPTH) : failed(problem);
  }

  /**
   * Looks for an error near the start: on all short paths, then on longer ones.
   * @returns {Promise<Exploration>} `errors` is 0 where no short path has one
   */
  async findShort() {
    // A defect is found sooner than an optimized verifier is compiled.
    const problem = await this.#compile(['-O0', '-DREACH']);
    if (problem !== undefined) return failed(problem);
    for (let depth = SHORT.first; depth <= SHORT.longest; depth = Math.ceil(depth * SHORT.growth)) {
      const found = await this.#run(depth);
      if (found.errors > 0) return { ...found, trouble: undefined };
    }
    return failed(`no error within ${SHORT.longest} steps`);
  }

  /**
   * The way to the error that {@link explore} has found: the lines that the model prints.
   * @returns {Promise<string[]>}
   */
  async trail() {
    if (!existsSync(join(this.folder, 'model.pml.trail'))) return [];
    return this.#transitions(['-t', '-T']);
  }

  /**
   * One way through the model, chosen by a seed: the lines that the model prints.
   * @param {number} seed
   * @param {number} steps
   * @returns {Promise<string[]>}
   */
  walk(seed, steps) {
    return this.#transitions([`-n${seed}`, `-u${steps}`, '-T']);
  }

  /** @param {readonly string[]} args */
  async #transitions(args) {
    const { output } = await this.#spin(...args);
    const end = output.search(/^spin: |-------------|^depth-limit |^#processes/m);
    return output
      .slice(0, end === -1 ? undefined : end)
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
  }

  /**
   * @param {readonly string[]} options of the verifier
   * @returns {Promise<string | undefined>} why it cannot be compiled
   */
  async #compile(options) {
    const generated = await this.#spin('-a');
    if (!existsSync(join(this.folder, 'pan.c')) || /Error/.test(generated.output)) return generated.output;
    const args = [
      '-w',
      '-O2',
      '-DSAFETY',
      '-DNOFAIR',
      `-DMEMLIM=${MEMORY}`,
      ...options,
      '-o',
      'pan',
      'pan.c',
    ];
    const compiled = await runCommand(this.tools.compiler, args, { cwd: this.folder });
    return compiled.ok ? undefined : compiled.output;
  }

  /**
   * @param {number} depth
   * @returns {Promise<Exploration>}
   */
  async #run(depth) {
    const options = { cwd: this.folder, timeout: HANGS_AFTER };
    const { output } = await runCommand(join(this.folder, 'pan'), ['-n', `-m${depth}`], options);
    const read = (/** @type {RegExp} */ pattern) => Number(pattern.exec(output)?.[1] ?? Number.NaN);
    const errors = read(/errors: (\d+)/);
    if (Number.isNaN(errors))
      return failed(`the verifier ended without a result: ${output.trim().slice(-300)}`);
    return {
      states: read(/^\s*(\d+) states, stored/m),
      depth: read(/depth reached (\d+)/),
      memory: Math.round(read(/([\d.]+)\s+total actual memory usage/)),
      seconds: read(/elapsed time ([\d.e+-]+) seconds/) || 0,
      errors,
      trouble: /max search depth too small|reached -DMEMLIM|out of memory|Search not completed/.exec(
        output,
      )?.[0],
    };
  }

  /** @param {string[]} args */
  #spin(...args) {
    const { spin, compiler } = this.tools;
    return runCommand(spin, [`-P${compiler} -E -x c`, ...args, 'model.pml'], { cwd: this.folder });
  }
}

/**
 * @param {string} trouble
 * @returns {Exploration}
 */
function failed(trouble) {
  return { states: 0, depth: 0, memory: 0, seconds: 0, errors: 0, trouble };
}
