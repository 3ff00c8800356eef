import { Session } from 'node:inspector/promises';
import { MODULES } from '../build/library.bundler.mjs';

/** @typedef {{ file: string, functions: { name: string, calls: number }[] }} CalledFile */

/** Counts the calls of the library's own functions in this process, by the coverage of V8. */
export class CallCounter {
  #session = new Session();

  async start() {
    this.#session.connect();
    await this.#session.post('Profiler.enable');
    await this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  }

  /** @returns {Promise<CalledFile[]>} the files with calls since the start, those with most calls first */
  async stop() {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    this.#session.disconnect();
    const called = result.flatMap(({ url, functions }) => {
      const [, file] = url.split(`/${MODULES}/`);
      if (file === undefined) return [];
      const used = functions.flatMap(({ functionName, ranges }) => {
        const calls = ranges[0]?.count ?? 0;
        return calls === 0 ? [] : [{ name: functionName || '(anonymous)', calls }];
      });
      return used.length === 0 ? [] : [{ file: file.replace(/\.js$/, '.ts'), functions: used }];
    });
    return called.toSorted((one, other) => callsOf([other]) - callsOf([one]));
  }
}

/** @param {readonly CalledFile[]} files */
export function callsOf(files) {
  let sum = 0;
  for (const { functions } of files) for (const { calls } of functions) sum += calls;
  return sum;
}
