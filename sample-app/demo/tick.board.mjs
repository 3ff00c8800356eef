import { chargedBy } from './crash.maker.mjs';
import { clockTime } from './text.format.mjs';
import { DEAD_LEASE, fateOf, instantsOf } from './tick.fate.mjs';

/**
 * @typedef {import('nestjs-distributed-lock').TickRecord} TickRecord
 * @typedef {import('./demo.types.js').JournalEntry} JournalEntry
 * @typedef {import('./demo.types.js').Kill} Kill
 * @typedef {import('./demo.types.js').Window} Window
 * @typedef {import('./terminal.screen.mjs').Screen} Screen
 * @typedef {{ records: readonly TickRecord[], journal: readonly JournalEntry[], kills: readonly Kill[], now: number }} State
 */

/** Without records nobody says that a tick is over: it is looked at this long after its instant, ms. */
const LOOK_AFTER = 1_800;

/** Prints a row per tick as soon as it is known what became of it. */
export class TickBoard {
  /** @type {Set<number>} */
  #open;
  #carriedOn = false;

  /**
   * @param {Screen} screen
   * @param {Window} window
   * @param {{ library: boolean, accounts: number, lease: number }} settings
   */
  constructor(screen, window, { library, accounts, lease }) {
    this.screen = screen;
    this.library = library;
    this.accounts = accounts;
    this.lease = lease;
    this.instants = instantsOf(window);
    this.#open = new Set(this.instants);
    screen.line(screen.paint('bold', row('tick', library ? 'instance' : 'instances', 'took', 'outcome')));
  }

  /** How many ticks are settled. */
  get settled() {
    return this.instants.length - this.#open.size;
  }

  get complete() {
    return this.#open.size === 0;
  }

  /** @param {State} state */
  update(state) {
    for (const instant of this.#open) {
      const text = this.library ? this.#recorded(instant, state) : this.#observed(instant, state);
      if (text === undefined) continue;
      this.#open.delete(instant);
      this.screen.line(text);
    }
  }

  /** @param {Kill} kill @param {string} note */
  announce({ tick, instance, pid }, note) {
    const text = row(clockTime(tick), instance, '', `SIGKILL to process ${pid}, inside its run, ${note}`);
    this.screen.line(this.screen.paint('yellow', text));
  }

  /**
   * @param {number} instant
   * @param {State} state
   */
  #recorded(instant, { records, journal, kills }) {
    const record = records.find(({ tick }) => tick === instant);
    if (!record || record.outcome === 'running') return undefined;
    const started = journal.find(({ tick, event }) => tick === instant && event === 'started');
    const took = record.end === undefined ? '' : `${record.end - record.start} ms`;
    const notes = started ? [`${chargedBy(journal, started.run)} of ${this.accounts} accounts`] : [];
    if (record.reason) notes.push(record.reason);
    if (fateOf(instant, { records, kills, lease: this.lease }) === DEAD_LEASE)
      notes.push('it is dead, its lease is not');
    const carriesOn =
      !this.#carriedOn && record.outcome === 'completed' && kills.some(({ at }) => record.start > at);
    if (carriesOn) {
      this.#carriedOn = true;
      notes.push('carries on');
    }
    const outcome = record.outcome === 'overlapped' ? 'refused' : record.outcome;
    const text = row(
      clockTime(instant),
      started?.instance ?? '',
      took,
      `${outcome.padEnd(10)} ${notes.join(' · ')}`,
    );
    if (carriesOn) return this.screen.paint('green', text);
    return outcome === 'completed' ? text : this.screen.paint('yellow', text);
  }

  /**
   * @param {number} instant
   * @param {State} state
   */
  #observed(instant, { journal, now }) {
    if (now < instant + LOOK_AFTER) return undefined;
    const runs = journal.filter(({ tick, event }) => tick === instant && event === 'started');
    const names = runs.map(({ instance }) => instance.replace('instance-', '')).join(', ');
    const text = row(
      clockTime(instant),
      names,
      '',
      runs.length === 1 ? 'run once' : `run ${runs.length} times`,
    );
    return runs.length === 1 ? text : this.screen.paint('red', text);
  }
}

/**
 * @param {string} tick
 * @param {string} instance
 * @param {string} took
 * @param {string} outcome
 */
function row(tick, instance, took, outcome) {
  return `  ${tick.padEnd(10)} ${instance.padEnd(12)} ${took.padStart(8)}   ${outcome}`;
}
