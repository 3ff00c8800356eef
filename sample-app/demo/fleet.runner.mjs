import { findFreePort } from '../../tools/redis/redis.probe.mjs';
import { Instance } from './instance.process.mjs';

const START_ATTEMPTS = 3;

/**
 * @typedef {object} FleetSettings
 * @property {number} instances
 * @property {boolean} unsafe
 * @property {number | undefined} portBase
 * @property {Readonly<Record<string, string>>} env
 */

/** The instances, by name; a name outlives its process. */
export class Fleet {
  /** @type {Map<string, Instance>} */
  #members = new Map();
  /** @type {Instance[]} */
  #gone = [];

  /** @param {FleetSettings} settings */
  constructor(settings) {
    this.settings = settings;
  }

  /** @returns {Instance[]} */
  get serving() {
    return [...this.#members.values()].filter((instance) => instance.serving);
  }

  /** @returns {string[]} what any of them logged as an error, also one that was replaced */
  get problems() {
    const all = [...this.#gone, ...this.#members.values()];
    return all.flatMap(({ name, problems }) => problems.map((line) => `${name}: ${line}`));
  }

  /** @param {AbortSignal} signal */
  async start(signal) {
    const names = Array.from({ length: this.settings.instances }, (_, index) => `instance-${index + 1}`);
    await Promise.all(names.map((name) => this.#launch(name, signal)));
  }

  /** @param {string} name @returns {Instance | undefined} */
  get(name) {
    return this.#members.get(name);
  }

  /**
   * Starts a new process in the place of one that died.
   * @param {string} name
   * @param {AbortSignal} signal
   */
  async replace(name, signal) {
    const dead = this.#members.get(name);
    if (dead) this.#gone.push(dead);
    await this.#launch(name, signal);
  }

  /**
   * Ends all of them in order.
   * @param {number} within ms
   * @returns {Promise<string[]>} the names of those that had to be killed
   */
  async stop(within) {
    const members = [...this.#members.values()];
    const inOrder = await Promise.all(members.map((instance) => instance.stop(within)));
    return members.filter((_, index) => !inOrder[index]).map(({ name }) => name);
  }

  /** Ends all of them now. */
  kill() {
    for (const instance of this.#members.values()) instance.kill();
  }

  /**
   * @param {string} name
   * @param {AbortSignal} signal
   */
  async #launch(name, signal) {
    const { portBase, unsafe, env } = this.settings;
    const place = Number(name.split('-')[1]) - 1;
    for (let attempt = 1; ; attempt += 1) {
      const port = portBase === undefined ? await findFreePort() : portBase + place;
      signal.throwIfAborted();
      const instance = new Instance({ name, port, unsafe, env });
      this.#members.set(name, instance);
      try {
        return await instance.ready(signal);
      } catch (error) {
        // Between the look for a free port and its use somebody else took it.
        const taken = portBase === undefined && instance.log.includes('EADDRINUSE');
        if (signal.aborted || !taken || attempt === START_ATTEMPTS) throw error;
      }
    }
  }
}
