import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CommandCount } from './command.count.mjs';
import { SHARES } from './profiler.mjs';

/** @typedef {import('../bench.types.js').Entry} Entry */
/** @typedef {import('../bench.types.js').Figures} Figures */
/** @typedef {{ id: number, figures?: Figures, error?: string }} Answer */

/**
 * Where a process of a contestant runs: what it locks on, the CPU it is kept on, what starts a contestant of Java, and its Node, where
 * that is not the driver's.
 * @typedef {{ url: string, cpu: number | undefined, node?: string | undefined, java?: { command: string, args: readonly string[] } | undefined }} Place
 */

const PROCESS = fileURLToPath(new URL('contender.process.mjs', import.meta.url));
const TASKSET = '/usr/bin/taskset';

/** How long a process may take for anything, in ms, unless its entry says more or less. */
const PATIENCE = 60_000;

/** Whether processes can be kept on one CPU. */
export const canPin = process.platform === 'linux' && existsSync(TASKSET);

/** Keeps a running process on a CPU. @param {number} pid @param {number} cpu */
export async function pin(pid, cpu) {
  if (!canPin) return;
  await once(spawn(TASKSET, ['-a', '-cp', `${cpu}`, `${pid}`], { stdio: 'ignore' }), 'close');
}

/** A process of Node, or of Java: the one is told by IPC, the other by lines of JSON. */
class Member {
  #asked = 0;
  /** @type {Map<number, { resolve: (figures: Figures) => void, reject: (error: Error) => void }>} */
  #open = new Map();

  /** @param {Entry} entry @param {Place} place */
  constructor(
    { label, module, settings, runtime, patience = PATIENCE },
    { url, cpu, node = process.execPath, java },
  ) {
    const isJava = runtime === 'java';
    if (isJava && java === undefined) throw new Error(`${label} needs Java`);
    const words =
      isJava && java !== undefined
        ? [java.command, ...java.args, url, JSON.stringify(settings)]
        : [node, '--expose-gc', PROCESS, module, url, JSON.stringify(settings)];
    const [command = '', ...args] = cpu !== undefined && canPin ? [TASKSET, '-c', `${cpu}`, ...words] : words;
    this.label = label;
    this.patience = patience;
    this.child = spawn(command, args, { stdio: isJava ? 'pipe' : ['ignore', 'ignore', 'pipe', 'ipc'] });
    let complaint = '';
    this.child.stderr?.on('data', (text) => (complaint = `${complaint}${text}`.slice(-2000)));
    if (this.child.stdout === null)
      this.child.on('message', (message) => this.#hear(/** @type {Answer} */ (message)));
    else createInterface({ input: this.child.stdout }).on('line', (line) => this.#hear(JSON.parse(line)));
    this.child.once('exit', () => {
      for (const { reject } of this.#open.values()) reject(new Error(`${label} has ended: ${complaint}`));
    });
    this.ready = this.#answer(0);
    // Whoever asks for it is told; until then it is nobody's.
    this.ready.catch(() => undefined);
  }

  /** @param {Answer} answer */
  #hear({ id, figures, error }) {
    const waiting = this.#open.get(id);
    this.#open.delete(id);
    if (error === undefined) waiting?.resolve(figures ?? {});
    else waiting?.reject(new Error(`${this.label}: ${error}`));
  }

  /** @param {{ id: number, job: string, options: object }} message */
  #tell(message) {
    // To a process that has been killed this fails; its end rejects what was asked of it.
    if (this.child.stdin === null) this.child.send(message, () => undefined);
    else this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** @param {string} job @param {object} options */
  ask(job, options) {
    this.#asked += 1;
    this.#tell({ id: this.#asked, job, options });
    return this.#answer(this.#asked);
  }

  async close() {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    if (this.child.stdin !== null) this.child.stdin.end();
    else if (this.child.connected) this.#tell({ id: -1, job: 'close', options: {} });
    const timer = setTimeout(() => this.child.kill('SIGKILL'), 5000);
    await ended;
    clearTimeout(timer);
  }

  /** @param {number} id @returns {Promise<Figures>} */
  #answer(id) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.child.kill('SIGKILL');
        reject(new Error(`${this.label} did not answer within ${this.patience} ms`));
      }, this.patience);
      this.#open.set(id, {
        resolve: (figures) => {
          clearTimeout(timer);
          resolve(figures);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
    });
  }
}

/** The processes of one entry. */
export class ProcessTeam {
  /**
   * @param {Entry} entry
   * @param {Place & { processes: number, prefix: string }} setup
   */
  constructor(entry, { processes, prefix, ...place }) {
    this.manner = entry.manner ?? 'pair';
    this.role = entry.role;
    this.isCounting = false;
    this.size = processes;
    this.prefix = prefix;
    this.url = place.url;
    this.launch = () => Array.from({ length: processes }, () => new Member(entry, place));
    this.members = this.launch();
  }

  /** @returns {number[]} */
  get pids() {
    return this.members.flatMap(({ child: { pid } }) => pid ?? []);
  }

  async ready() {
    await Promise.all(this.members.map(({ ready }) => ready));
  }

  /** Has new processes instead of those that it had. */
  async renew() {
    await this.close();
    this.members = this.launch();
    await this.ready();
  }

  /** @param {number} process @param {string} job @param {object} [options] @returns {Promise<Figures>} */
  ask(process, job, options = {}) {
    const member = this.members[process];
    if (member === undefined) throw new Error(`there is no process ${process}`);
    return member.ask(job, options);
  }

  /** @param {string} job @param {object} [options] @returns {Promise<Figures[]>} */
  all(job, options = {}) {
    return Promise.all(this.members.map((member) => member.ask(job, options)));
  }

  /**
   * What is sent meanwhile; not a number in rounds that are timed.
   * @template T
   * @param {() => Promise<T>} act
   * @param {string} [subject]
   */
  async counting(act, subject) {
    if (!this.isCounting) return { result: await act(), commands: NaN, others: NaN, messages: NaN };
    const count = await CommandCount.begin(this.url, subject);
    try {
      const result = await act();
      return { result, ...(await count.end()) };
    } finally {
      count.close();
    }
  }

  /**
   * Where its processes spend their time meanwhile: the ms of each share, of all processes.
   * @param {() => Promise<unknown>} act
   * @returns {Promise<Record<string, number>>}
   */
  async profile(act) {
    await this.all('beginProfile');
    await act();
    const profiles = await this.all('endProfile');
    return Object.fromEntries(
      SHARES.map(({ key }) => [key, profiles.reduce((sum, spent) => sum + Number(spent[key]), 0)]),
    );
  }

  async close() {
    await Promise.all(this.members.map((member) => member.close()));
  }
}
