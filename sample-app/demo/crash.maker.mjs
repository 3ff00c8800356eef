/**
 * @typedef {import('./bank.reader.mjs').BankReader} BankReader
 * @typedef {import('./demo.types.js').JournalEntry} JournalEntry
 * @typedef {import('./demo.types.js').Kill} Kill
 * @typedef {import('./fleet.runner.mjs').Fleet} Fleet
 */

/**
 * Kills the instance that bills, once, between the first write of a run and its last: it watches the journal, and
 * strikes at a run's first entry of a charge.
 */
export class CrashMaker {
  /** @type {Kill[]} */
  kills = [];
  #armedFrom = Infinity;
  #armedUntil = Infinity;

  /**
   * @param {Fleet} fleet
   * @param {BankReader} bank
   */
  constructor(fleet, bank) {
    this.fleet = fleet;
    this.bank = bank;
  }

  /**
   * Strikes once at a run of a tick from then on.
   * @param {number} from
   * @param {number} until the last tick that leaves time to see who carries on
   */
  arm(from, until) {
    this.#armedFrom = from;
    this.#armedUntil = until;
  }

  /** @param {JournalEntry} entry as it is written */
  watch({ event, tick, run, instance: name }) {
    if (event !== 'charged' || tick < this.#armedFrom || tick > this.#armedUntil) return;
    const instance = this.fleet.get(name);
    if (!instance?.serving || this.fleet.serving.length < 2) return;
    this.#armedFrom = Infinity;
    instance.kill();
    void this.#record(tick, run, name, instance.pid);
  }

  /**
   * Whether a run was really cut: it had written, and had more to write. Else the next tick is tried.
   * @param {Kill} kill
   * @param {number} accounts
   */
  hit(kill, accounts) {
    const charged = chargedBy(this.bank.journal, kill.run);
    return charged > 0 && charged < accounts;
  }

  /**
   * @param {number} tick
   * @param {string} run
   * @param {string} instance
   * @param {number} pid
   */
  async #record(tick, run, instance, pid) {
    this.kills.push({ tick, run, instance, pid, at: await this.bank.now() });
  }
}

/**
 * @param {readonly JournalEntry[]} journal
 * @param {string} run
 */
export function chargedBy(journal, run) {
  return journal.filter((entry) => entry.run === run && entry.event === 'charged').length;
}
