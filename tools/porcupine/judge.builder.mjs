import { createHash } from 'node:crypto';
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../redis/command.runner.mjs';
import { Unavailable } from '../test/unavailable.mjs';
import { findGo } from './go.finder.mjs';

/** Of the repository, from the source and from its copy in `dist`. */
const ROOT = fileURLToPath(
  new URL(import.meta.url.includes('/dist/tools/') ? '../../../' : '../../', import.meta.url),
);

/** The Go module. */
export const SOURCES = join(ROOT, 'test/porcupine');

/** Beside what other tools keep between two runs. */
const CACHE = join(ROOT, 'dist/.cache/porcupine');

/** A module proxy that does not answer must not hold up everything else. */
const BUILT_WITHIN = 120_000;

/** An error of the compiler about a source of ours: that is no lack of the machine. */
const OUR_FAULT = /^\.\/\S+\.go:\d+/m;

/** What Go needs to leave the machine as it is. */
export const GO_ENV = { CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOWORK: 'off' };

/** Why nothing is to be judged: set by a process that has tried to build the program, for those that it starts. */
export const SKIPPED = 'PORCUPINE_SKIPPED';

/** Says in one line what the machine lacks: Go, or a way to the module. */
export class JudgeUnavailable extends Unavailable {}

/**
 * Builds the program that judges histories, unless that was done for these sources.
 * @param {{ cache?: string, folders?: readonly string[] }} [places] `folders`: where Go is looked for beside PATH
 * @returns {Promise<string>} its path
 * @throws {JudgeUnavailable} where it cannot be built on this machine
 * @throws {Error} with the compiler's output where our sources are wrong
 */
export async function buildJudge({ cache = CACHE, folders } = {}) {
  const skipped = process.env[SKIPPED];
  if (skipped) throw new JudgeUnavailable(skipped);
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const program = join(cache, `judge-${process.platform}-${process.arch}-${await fingerprint()}${suffix}`);
  if (await exists(program)) return program;
  const go = await expectGo(folders);
  await mkdir(cache, { recursive: true });
  // Others may build it at the same time.
  const draft = await mkdtemp(join(cache, 'draft-'));
  try {
    const path = join(draft, 'judge');
    const args = ['build', '-buildvcs=false', '-trimpath', '-o', path, '.'];
    const { ok, output } = await runCommand(go, args, { cwd: SOURCES, env: GO_ENV, timeout: BUILT_WITHIN });
    if (!ok && OUR_FAULT.test(output)) throw new Error(output);
    if (!ok) throw new JudgeUnavailable(`go build failed: ${reasonIn(output)}`);
    await rename(path, program);
    return program;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/**
 * @param {readonly string[]} [folders] where Go is looked for beside PATH
 * @returns {Promise<string>} its path
 * @throws {JudgeUnavailable} where there is none
 */
export async function expectGo(folders) {
  const go = await findGo(folders);
  if (go === undefined) throw new JudgeUnavailable('no go');
  return go;
}

/** @returns {Promise<string>} changes with the sources of the program */
async function fingerprint() {
  const hash = createHash('sha256');
  const names = (await readdir(SOURCES)).filter((name) => /^go\.|(?<!_test)\.go$/.test(name));
  for (const name of names.toSorted()) hash.update(`${name}\n${await readFile(join(SOURCES, name), 'utf8')}`);
  return hash.digest('hex').slice(0, 16);
}

/** @param {string} path */
function exists(path) {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** @param {string} output */
function reasonIn(output) {
  const lines = output
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('go: downloading'));
  return (lines[0] ?? 'it was not done in time').slice(0, 300);
}
