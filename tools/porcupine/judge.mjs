/**
 * "npm run judge -- FOLDER": a second judge of lock histories, Porcupine, which knows nothing of this library. Prints what is not ok,
 * and a table by the kind of lock. With `--build` the program is only built. Where Go cannot be had it is skipped, aloud.
 */
import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { Unavailable } from '../test/unavailable.mjs';
import { buildJudge } from './judge.builder.mjs';

export { buildJudge } from './judge.builder.mjs';

/**
 * What the judge says of one history, a key of a file. `ms`: how long the check took. `stuck`: the operation that fits nowhere.
 * @typedef {{ verdict: 'ok' | 'illegal' | 'unknown', kind: string, key: string, operations: number, ms: number, file: string, stuck: string }} Judged
 */

/** Not one of ours: something cannot be read. */
const UNREADABLE = 2;

/**
 * Judges the histories of files, and of the files `*.jsonl` of folders.
 * @param {readonly string[]} paths
 * @returns {Promise<Judged[]>}
 * @throws {Unavailable} where the program cannot be built
 */
export async function judgeHistories(paths) {
  const program = await buildJudge();
  return new Promise((resolve, reject) => {
    execFile(program, [...paths], { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const code = error?.code ?? 0;
      if (typeof code !== 'number' || code === UNREADABLE || error?.signal)
        reject(new Error(`the judge of histories failed: ${stderr || error?.message}`));
      else resolve(readVerdicts(stdout));
    });
  });
}

/**
 * @param {string} text what the program printed
 * @returns {Judged[]}
 */
export function readVerdicts(text) {
  return text.split('\n').flatMap((line) => {
    const [verdict, kind = '', key = '', operations, ms, file = '', stuck = ''] = line.split('\t');
    if (verdict !== 'ok' && verdict !== 'illegal' && verdict !== 'unknown') return [];
    return [{ verdict, kind, key, operations: Number(operations), ms: Number(ms), file, stuck }];
  });
}

/**
 * One row for each kind of lock.
 * @param {readonly Judged[]} judged
 * @returns {string}
 */
export function tableOf(judged) {
  const kinds = [...new Set(judged.map(({ kind }) => kind))].toSorted();
  const rows = kinds.map((kind) => {
    const ofKind = judged.filter((each) => each.kind === kind);
    /** @param {Judged['verdict']} verdict */
    const count = (verdict) => ofKind.filter((each) => each.verdict === verdict).length;
    const operations = ofKind.reduce((sum, each) => sum + each.operations, 0);
    const slowest = Math.max(...ofKind.map(({ ms }) => ms));
    return [
      kind,
      ofKind.length,
      operations,
      count('ok'),
      count('illegal'),
      count('unknown'),
      slowest.toFixed(1),
    ];
  });
  const head = ['kind', 'histories', 'operations', 'ok', 'illegal', 'unknown', 'slowest check in ms'];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** @param {readonly string[]} args */
async function main(args) {
  if (args.length === 0) throw new Error('name the folder of the histories: npm run judge -- FOLDER');
  if (args[0] === '--build') {
    console.log(await buildJudge());
    return;
  }
  const judged = await judgeHistories(args);
  for (const { verdict, kind, key, file, stuck } of judged)
    if (verdict !== 'ok') console.log(`${verdict}: ${key} (${kind}) in ${file} ${stuck && `at ${stuck}`}`);
  console.log(tableOf(judged));
  if (judged.length === 0) throw new Error('there is no history in there');
  if (judged.some(({ verdict }) => verdict !== 'ok')) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    console.warn(`skipped: ${error.message}`);
  }
}
