import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const APP = fileURLToPath(new URL('../../dist/sample-app/main.js', import.meta.url));
const TIE = new URL('./parent.tie.mjs', import.meta.url).href;
const WITHOUT_LIBRARY = new URL('./without-library/preload.mjs', import.meta.url).href;
const READY_WITHIN = 60_000;
const ASK_EVERY = 50;
const KEPT_LINES = 40;

/**
 * @typedef {object} InstanceSettings
 * @property {string} name
 * @property {number} port
 * @property {boolean} unsafe
 * @property {Readonly<Record<string, string>>} env
 */

/** One process of the sample app. */
export class Instance {
  /** @type {string[]} */
  #log = [];
  /** @type {string[]} */
  #problems = [];
  #ready = false;
  #ended = false;
  /** Whether its end is our doing. */
  #asked = false;
  #child;
  /** @type {Promise<void>} */
  #exited;

  /** @param {InstanceSettings} settings */
  constructor({ name, port, unsafe, env }) {
    this.name = name;
    this.url = `http://127.0.0.1:${port}`;
    const preloads = [TIE, ...(unsafe ? [WITHOUT_LIBRARY] : [])].flatMap((url) => ['--import', url]);
    this.#child = spawn(process.execPath, ['--enable-source-maps', ...preloads, APP], {
      env: { ...process.env, ...env, INSTANCE: name, PORT: `${port}`, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Ctrl-C in the terminal is for us: we end them in order.
      detached: true,
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => this.#keep(line));
    }
    this.#exited = new Promise((resolve) => {
      const end = () => {
        this.#ended = true;
        resolve();
      };
      this.#child.once('error', (error) => {
        this.#keep(error.message);
        end();
      });
      this.#child.once('close', (code, signal) => {
        if (!this.#asked) this.#problems.push(`ended by itself (${signal ?? code}):\n${this.log}`);
        end();
      });
    });
  }

  get pid() {
    return this.#child.pid ?? 0;
  }

  /** Whether it answers, as far as we know. */
  get serving() {
    return this.#ready && !this.#ended && !this.#child.killed;
  }

  /** Lines that its logger called an error. */
  get problems() {
    return this.#problems;
  }

  /** @returns {string} the last lines that it wrote */
  get log() {
    return this.#log.join('\n');
  }

  /**
   * Settles once it answers.
   * @param {AbortSignal} signal
   */
  async ready(signal) {
    const deadline = performance.now() + READY_WITHIN;
    while (performance.now() < deadline && !this.#ended) {
      const answer = await fetch(this.url, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(2_000)]),
      }).catch(() => undefined);
      signal.throwIfAborted();
      if (answer?.ok) {
        this.#ready = true;
        return;
      }
      await sleep(ASK_EVERY);
    }
    throw new Error(`${this.name} did not start:\n${this.log}`);
  }

  /** Ends it between two instructions, as a machine does that loses its power. */
  kill() {
    this.#asked = true;
    this.#child.kill('SIGKILL');
  }

  /**
   * Ends it in order, and by force where that takes too long.
   * @param {number} within ms
   * @returns {Promise<boolean>} false: by force
   */
  async stop(within) {
    if (this.#ended) return true;
    this.#asked = true;
    let inOrder = true;
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => {
      inOrder = false;
      this.kill();
    }, within);
    await this.#exited;
    clearTimeout(timer);
    return inOrder;
  }

  /** @param {string} line */
  #keep(line) {
    if (/\b(?:ERROR|FATAL)\b/.test(line)) this.#problems.push(line);
    if (this.#log.push(line) > KEPT_LINES) this.#log.shift();
  }
}
