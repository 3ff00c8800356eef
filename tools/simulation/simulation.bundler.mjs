import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { embedLua } from '../lua/embed.mjs';
import { ROOT } from '../build/node.runner.mjs';
import { runStage } from '../build/stage.runner.mjs';

const INPUT = 'test/simulation/main.ts';
/** The globals of ioredis in the simulation. */
const CLIENT_GLOBALS = join(ROOT, 'test/simulation/socket/client.globals.ts');
const OUTPUT = 'dist/simulation';

/** Where the simulation is built to. */
export const SIMULATION = join(ROOT, OUTPUT, 'main.mjs');

/** How Node runs it: most objects are garbage a few events later. @type {readonly string[]} */
export const FLAGS = ['--max-semi-space-size=64'];

/** Gives the files of ioredis the timers, clocks and randomness of the simulated machine. */
const SIMULATED_CLIENT = {
  name: 'simulated-client',
  /** @param {string} code @param {string} id */
  transform(code, id) {
    if (!/[\\/]node_modules[\\/]ioredis[\\/]built[\\/]/.test(id)) return null;
    return `const { setTimeout, clearTimeout, setImmediate, Date, Math } = require(${JSON.stringify(CLIENT_GLOBALS)});\n${code}`;
  },
};

/** Builds the simulation with the library's sources into one file, which Node runs as fast as it can. @returns whether it worked */
export async function bundleSimulation() {
  await embedLua();
  return await runStage({
    name: 'simulation',
    inputs: ['libs/distributed-lock/src', 'test/simulation', 'tools/simulation', 'tsconfig.json'],
    outputs: [OUTPUT],
    run: async () => {
      const bundle = await rolldown({
        input: join(ROOT, INPUT),
        platform: 'node',
        tsconfig: join(ROOT, 'tsconfig.json'),
        external: (id) => /^[@a-z]/.test(id) && !/^(?:nestjs-distributed-lock|ioredis$)/.test(id),
        plugins: [SIMULATED_CLIENT],
      });
      await bundle.write({ file: SIMULATION, format: 'esm', codeSplitting: false });
      await bundle.close();
      return true;
    },
  });
}

/**
 * Writes a copy of the simulation with a planted defect.
 * @param {string} file
 * @param {readonly { readonly from: string, readonly to: string }[]} defects
 */
export async function plantDefects(file, defects) {
  let text = await readFile(SIMULATION, 'utf8');
  for (const { from, to } of defects) {
    const [before, after, ...more] = text.split(patternOf(from));
    if (before === undefined || after === undefined || more.length > 0)
      throw new Error(`a defect must fit once: ${from}`);
    text = before + to + after;
  }
  await writeFile(file, text);
}

/**
 * The text as the bundler may have written it: with other spaces, and with a number behind names that several modules have.
 * @param {string} text
 */
export function patternOf(text) {
  const words = text.trim().split(/\s+/);
  return new RegExp(words.map((word) => escaped(word).replace(NAMES, String.raw`$&(?:\$\d+)?`)).join('\\s+'));
}

/** Names that the bundler may give a number: those of the library of Lua. */
const NAMES = /(?<![\w.#])(?:first|add|get|table|call|equal|less|isTrue)(?=\\\()/g;

/** @param {string} text */
function escaped(text) {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}
