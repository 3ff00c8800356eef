import { spawn } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { ROOT } from '../build/node.runner.mjs';
import { Unavailable } from '../test/unavailable.mjs';

const PROJECT = join(ROOT, 'test/interop/java');
const CLASSPATH = join(PROJECT, 'target/classpath.txt');
/** A registry that does not answer must not hold up everything else. */
const RESOLVED_WITHIN = 120_000;

/** What Redisson has to say below a warning is not for who only uses it. */
export const QUIET = '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn';

/** A suite wants a quick start: one compiler, one small heap, one thread that collects. */
const FLAGS = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xmx256m', QUIET];

/** Says in one line what the machine lacks: java, mvn, or a way to the dependencies. */
export class PeerUnavailable extends Unavailable {}

/** An error of the compiler about a source of ours: that is no lack of the machine. */
const OUR_FAULT = /\.java:\[\d+/;

/**
 * Compiles the Java side of the interop suite, unless it is up to date, and finds what it depends on.
 * @returns {Promise<{ command: string, args: string[], classpath: string }>} what starts it, and where Redisson's classes are
 * @throws {PeerUnavailable} where it cannot be built on this machine
 * @throws {Error} with the compiler's output where our sources are wrong
 */
export async function buildPeer() {
  await expectTool('java', ['-version']);
  if (!(await isFresh())) {
    await expectTool('mvn', ['-version']);
    const inTime = { within: RESOLVED_WITHIN };
    // Offline first: with everything in the local repository nobody is asked.
    const offline = await run('mvn', ['-q', '-B', '-o', 'package'], inTime);
    const isOver = offline.ok || OUR_FAULT.test(offline.output);
    const { ok, output } = isOver ? offline : await run('mvn', ['-q', '-B', 'package'], inTime);
    if (!ok && OUR_FAULT.test(output)) throw new Error(output);
    if (!ok) throw new PeerUnavailable(`mvn package failed: ${firstError(output)}`);
  }
  const dependencies = (await readFile(CLASSPATH, 'utf8')).trim();
  const classpath = [join(PROJECT, 'target/classes'), dependencies].join(delimiter);
  return { command: 'java', args: [...FLAGS, '-cp', classpath, 'interop.Peer'], classpath };
}

/** Whether what was built is younger than its sources, and the dependencies are still there. */
async function isFresh() {
  try {
    const [{ mtimeMs }, text] = await Promise.all([stat(CLASSPATH), readFile(CLASSPATH, 'utf8')]);
    await Promise.all(
      text
        .trim()
        .split(delimiter)
        .map((file) => stat(file)),
    );
    const sources = await readdir(join(PROJECT, 'src'), { recursive: true });
    const files = [join(PROJECT, 'pom.xml'), ...sources.map((source) => join(PROJECT, 'src', source))];
    const times = await Promise.all(files.map((file) => stat(file)));
    return times.every((time) => time.mtimeMs < mtimeMs);
  } catch {
    return false;
  }
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
async function expectTool(command, args) {
  const { ok, output } = await run(command, args, { within: 20_000 });
  if (!ok) throw new PeerUnavailable(`${command} cannot be run: ${firstError(output)}`);
}

/** @param {string} output */
function firstError(output) {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((candidate) => candidate.includes('[ERROR]')) ?? lines[0] ?? 'it said nothing';
  return line.replace(/^.*\[ERROR\] /, '').slice(0, 300);
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ within: number }} bound in ms
 * @returns {Promise<{ ok: boolean, output: string }>}
 */
function run(command, args, { within }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: PROJECT,
      env: { ...process.env, NO_COLOR: '1', MAVEN_OPTS: '-XX:TieredStopAtLevel=1 -Dstyle.color=never' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
    const timer = setTimeout(() => {
      output += `\nERROR: ended after ${within} ms`;
      child.kill('SIGKILL');
    }, within);
    child.once('error', (error) => resolve({ ok: false, output: error.message }));
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ ok: code === 0, output });
    });
  });
}
