import { setTimeout as sleep } from 'node:timers/promises';

/**
 * @typedef {import('./demo.types.js').LoadCounts} LoadCounts
 * @typedef {import('./demo.types.js').Order} Order
 * @typedef {import('./fleet.runner.mjs').Fleet} Fleet
 * @typedef {{ path: string, body: Record<string, unknown>, effects: Record<string, number> }} Plan
 */

const EVERY = 25;
const MOST_IN_FLIGHT = 60;
const ANSWERED_WITHIN = 15_000;
/** What an answer takes beside its booking when the lock was free: more than that was a wait for the lock. */
const NO_WAIT = 30;
/** Half of the orders are for the first account: a queue forms there. */
const POPULAR = 0.5;

/** Customers: withdrawals, deposits and transfers, sent to any instance at a steady pace. */
export class LoadGenerator {
  /** @type {Order[]} */
  orders = [];
  /** @type {LoadCounts} */
  counts = { sent: 0, done: 0, waited: 0, longestWait: 0, refused: 0, cutOff: 0, failed: 0 };
  /** @type {string | undefined} the first answer that nobody expected */
  complaint;
  /** @type {Set<Promise<void>>} */
  #inFlight = new Set();
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /**
   * @param {Fleet} fleet
   * @param {readonly string[]} accounts
   */
  constructor(fleet, accounts) {
    this.fleet = fleet;
    this.accounts = accounts;
  }

  start() {
    this.#timer = setInterval(() => {
      if (this.#inFlight.size >= MOST_IN_FLIGHT) return;
      const sending = this.#send().finally(() => this.#inFlight.delete(sending));
      this.#inFlight.add(sending);
    }, EVERY);
  }

  /**
   * Sends nothing more, and waits for the answers that are due: a connection that waits for one holds up the end of
   * its instance.
   * @param {number} [within] ms
   */
  async stop(within = ANSWERED_WITHIN) {
    clearInterval(this.#timer);
    const limit = sleep(within, undefined, { ref: false });
    await Promise.race([Promise.all(this.#inFlight), limit]);
  }

  async #send() {
    const instance = pick(this.fleet.serving);
    if (!instance) return;
    this.counts.sent += 1;
    const reference = `order-${this.counts.sent}`;
    const { path, body, effects } = this.#plan();
    /** @type {Order} */
    const order = { reference, effects, answer: 'pending' };
    this.orders.push(order);
    const started = performance.now();
    try {
      const answer = await fetch(`${instance.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, reference }),
        signal: AbortSignal.timeout(ANSWERED_WITHIN),
      });
      const text = await answer.text();
      this.#note(order, answer.status, text, performance.now() - started);
    } catch {
      order.answer = 'cut off';
      this.counts.cutOff += 1;
    }
  }

  /** @returns {Plan} */
  #plan() {
    const [popular = ''] = this.accounts;
    const account = Math.random() < POPULAR ? popular : pick(this.accounts) || popular;
    const amount = 1 + Math.floor(Math.random() * 20);
    const kind = Math.random();
    if (kind < 0.6) {
      return { path: `/accounts/${account}/withdrawals`, body: { amount }, effects: { [account]: -amount } };
    }
    if (kind < 0.8) {
      return { path: `/accounts/${account}/deposits`, body: { amount }, effects: { [account]: amount } };
    }
    const other = pick(this.accounts.filter((id) => id !== account)) || popular;
    const effects = { [account]: -amount, [other]: amount };
    return { path: '/transfers', body: { amount, from: account, to: other }, effects };
  }

  /**
   * @param {Order} order
   * @param {number} status
   * @param {string} text
   * @param {number} elapsed ms
   */
  #note(order, status, text, elapsed) {
    if (status === 201) {
      order.answer = 'done';
      this.counts.done += 1;
      const waited = elapsed - Number(JSON.parse(text).took);
      if (waited > NO_WAIT) this.counts.waited += 1;
      this.counts.longestWait = Math.max(this.counts.longestWait, waited);
    } else if (status === 423) {
      order.answer = 'refused';
      this.counts.refused += 1;
    } else {
      // An error may have struck before or after the booking: the books tell.
      order.answer = status >= 500 ? 'cut off' : 'failed';
      this.counts.failed += 1;
      this.complaint ??= `${status} ${text.slice(0, 200)}`;
    }
  }
}

/**
 * @template T
 * @param {readonly T[]} choices
 * @returns {T | undefined}
 */
function pick(choices) {
  return choices[Math.floor(Math.random() * choices.length)];
}
