/**
 * @typedef {import('nestjs-distributed-lock').TickRecord} TickRecord
 * @typedef {import('./fleet.runner.mjs').Fleet} Fleet
 */

const EVERY = 500;
const WITHIN = 5_000;

/** Reads GET /runs again and again: the record keeps only the newest 50 rows of a job. */
export class RecordCollector {
  /** @type {Map<string, Map<string, TickRecord>>} */
  #jobs = new Map();
  #reading = false;
  #timer;

  /** @param {Fleet} fleet */
  constructor(fleet) {
    this.fleet = fleet;
    this.#timer = setInterval(() => void this.#readOnce(), EVERY);
  }

  /**
   * @param {string} job
   * @returns {TickRecord[]} oldest first
   */
  rows(job) {
    return [...(this.#jobs.get(job)?.values() ?? [])].toSorted((one, other) => one.tick - other.tick);
  }

  /** Reads once more, from whoever answers. */
  async finish() {
    clearInterval(this.#timer);
    for (const instance of this.fleet.serving) if (await this.#read(instance.url)) return;
    throw new Error('no instance answers GET /runs');
  }

  close() {
    clearInterval(this.#timer);
  }

  async #readOnce() {
    const [instance] = this.fleet.serving;
    if (this.#reading || !instance) return;
    this.#reading = true;
    await this.#read(instance.url);
    this.#reading = false;
  }

  /**
   * @param {string} url
   * @returns {Promise<boolean>} false: it does not answer, and may have been killed
   */
  async #read(url) {
    try {
      const answer = await fetch(`${url}/runs`, { signal: AbortSignal.timeout(WITHIN) });
      if (!answer.ok) return false;
      const jobs = /** @type {Record<string, TickRecord[]>} */ (await answer.json());
      for (const [job, rows] of Object.entries(jobs)) {
        const known = this.#jobs.get(job) ?? new Map();
        for (const row of rows) known.set(`${row.tick}/${row.attempt}`, row);
        this.#jobs.set(job, known);
      }
      return true;
    } catch {
      return false;
    }
  }
}
