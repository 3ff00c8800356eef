import { Redis } from 'ioredis';

/**
 * @typedef {import('./demo.types.js').AccountFacts} AccountFacts
 * @typedef {import('./demo.types.js').JournalEntry} JournalEntry
 * @typedef {import('./demo.types.js').Order} Order
 */

const JOURNAL = 'billing:journal';
const BLOCK = 500;

/** Reads the books of the bank where they are kept, without asking the application. */
export class BankReader {
  /** @type {JournalEntry[]} */
  #journal = [];
  #following = true;
  /** @type {Promise<void>} */
  #followed = Promise.resolve();
  #redis;
  #follower;

  /**
   * @param {string} url
   * @param {string} prefix
   */
  constructor(url, prefix) {
    this.prefix = prefix;
    this.#redis = new Redis(url, { keyPrefix: prefix });
    this.#follower = new Redis(url, { keyPrefix: prefix });
    for (const client of [this.#redis, this.#follower]) client.on('error', () => {});
  }

  /** @returns {readonly JournalEntry[]} so far, in the order of the store */
  get journal() {
    return this.#journal;
  }

  /** The store's clock, epoch ms. */
  async now() {
    const [seconds, microseconds] = await this.#redis.time();
    return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
  }

  /**
   * Calls back for each new entry of the journal, as it is written.
   * @param {(entry: JournalEntry) => void} onEntry
   */
  follow(onEntry) {
    this.#followed = this.#readOn(onEntry);
  }

  /** Reads what is left of the journal, and stops following. */
  async finish() {
    this.#following = false;
    await this.#followed;
  }

  /**
   * @param {string} account
   * @param {number} opened cents
   * @param {readonly Order[]} orders of the whole load
   * @returns {Promise<AccountFacts>}
   */
  async facts(account, opened, orders) {
    const [balance, movements, fees] = await Promise.all([
      this.#redis.get(`balance:${account}`),
      this.#redis.hgetall(`movements:${account}`),
      this.#redis.hvals(`fees:${account}`),
    ]);
    /** @param {(order: Order) => boolean} chosen */
    const sum = (chosen) =>
      orders.filter(chosen).reduce((total, { effects }) => total + (effects[account] ?? 0), 0);
    return {
      id: account,
      opened,
      confirmed: sum(({ answer }) => answer === 'done'),
      unanswered: sum(({ answer, reference }) => answer === 'cut off' && reference in movements),
      fees: fees.reduce((total, fee) => total + Number(fee), 0),
      found: Number(balance),
    };
  }

  /** Removes every key of this run: the Redis may be somebody else's. @returns {Promise<number>} how many there were */
  async removeKeys() {
    const client = this.#redis.duplicate({ keyPrefix: '' });
    let removed = 0;
    for await (const keys of client.scanStream({ match: `*${this.prefix}*`, count: 500 })) {
      if (keys.length > 0) removed += await client.unlink(...keys);
    }
    client.disconnect();
    return removed;
  }

  close() {
    this.#following = false;
    this.#redis.disconnect();
    this.#follower.disconnect();
  }

  /** @param {(entry: JournalEntry) => void} onEntry */
  async #readOn(onEntry) {
    let last = '0-0';
    for (;;) {
      // Asked before the read: what was written before that is in its answer.
      const lastRound = !this.#following;
      const wait = lastRound ? 1 : BLOCK;
      const streams = await this.#follower
        .xread('COUNT', 500, 'BLOCK', wait, 'STREAMS', JOURNAL, last)
        .catch(() => null);
      const entries = streams?.[0]?.[1] ?? [];
      for (const [id, fields] of entries) {
        last = id;
        const entry = parseEntry(id, fields);
        this.#journal.push(entry);
        onEntry(entry);
      }
      if (lastRound && entries.length === 0) return;
    }
  }
}

/**
 * @param {string} id
 * @param {readonly string[]} fields
 * @returns {JournalEntry}
 */
function parseEntry(id, fields) {
  /** @param {string} name */
  const field = (name) => fields[fields.indexOf(name) + 1] ?? '';
  const event = field('event');
  return {
    at: Number(id.split('-')[0]),
    run: field('run'),
    tick: Number(field('tick')),
    instance: field('instance'),
    event: event === 'charged' || event === 'finished' ? event : 'started',
    account: event === 'charged' ? field('account') : '',
  };
}
