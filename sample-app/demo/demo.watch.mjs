import { setTimeout as sleep } from 'node:timers/promises';
import { CrashMaker, chargedBy } from './crash.maker.mjs';
import { LoadGenerator } from './load.generator.mjs';
import { RecordCollector } from './record.collector.mjs';
import { span } from './text.format.mjs';
import { TickBoard } from './tick.board.mjs';
import { describeLoad } from './verdict.report.mjs';

/**
 * @typedef {import('nestjs-distributed-lock').TickRecord} TickRecord
 * @typedef {import('./bank.reader.mjs').BankReader} BankReader
 * @typedef {import('./demo.types.js').DemoOptions} DemoOptions
 * @typedef {import('./demo.types.js').Kill} Kill
 * @typedef {import('./demo.types.js').Window} Window
 * @typedef {import('./fleet.runner.mjs').Fleet} Fleet
 * @typedef {import('./terminal.screen.mjs').Screen} Screen
 * @typedef {object} Stage
 * @property {DemoOptions} options
 * @property {Screen} screen
 * @property {AbortSignal} signal
 * @property {BankReader} bank
 * @property {Fleet} fleet
 * @property {readonly string[]} accounts
 * @property {number} lease what a killed instance leaves behind, ms
 */

const PERIOD = 2_000;
const LOOK_EVERY = 200;
/** The first tick of the window is at least this far away, ms: the load runs when it comes. */
const LEAD = 500;
/** How long after a kill what the dead instance had already sent may still reach the store, ms. */
const ECHO = 400;
const REPLACED_AFTER = 5_000;
/** Ticks that must follow a crash: one refused, one granted, one to spare. */
const AFTERMATH = 3;
/** What a wait for the last answers may take when it was interrupted, ms. */
const STOPPED_IN_HASTE = 2_500;
/** The last runs of the window end within this time, ms. */
const SETTLED_WITHIN = 8_000;

/**
 * Watches the schedule over a window of ticks, under load, with one crash.
 * @param {Stage} stage
 */
export async function watchWindow(stage) {
  const { options, screen, signal, bank, fleet, accounts } = stage;
  const window = windowFrom(await bank.now(), options.seconds);
  const board = new TickBoard(screen, window, {
    library: !options.unsafe,
    accounts: accounts.length,
    lease: stage.lease,
  });
  const collector = new RecordCollector(fleet);
  const load = new LoadGenerator(fleet, accounts);
  const crash = new CrashMaker(fleet, bank);
  const replacement = new AbortController();
  /** @type {Promise<void>[]} */
  const replacing = [];
  let announced = 0;

  /** @param {number} now */
  const lookAtKills = (now) => {
    for (const kill of crash.kills.slice(announced)) {
      if (now < kill.at + ECHO) return;
      announced += 1;
      const hit = crash.hit(kill, accounts.length);
      const charged = `after ${chargedBy(bank.journal, kill.run)} of ${accounts.length} accounts`;
      board.announce(kill, hit ? charged : `${charged}: too late, so once more`);
      if (!hit) crash.arm(kill.tick + PERIOD, window.last - AFTERMATH * PERIOD);
      const late = window.last - 2 * PERIOD < kill.at + REPLACED_AFTER;
      if (!late) replacing.push(replaceLater(stage, kill, AbortSignal.any([signal, replacement.signal])));
    }
  };

  try {
    bank.follow((entry) => crash.watch(entry));
    load.start();
    crash.arm(window.first + crashPlace(window) * PERIOD, window.last - AFTERMATH * PERIOD);
    for (;;) {
      const now = await bank.now();
      if (fleet.serving.length === 0)
        throw new Error(`no instance is left: ${fleet.problems.slice(-2).join('\n')}`);
      lookAtKills(now);
      board.update({ records: collector.rows('billing'), journal: bank.journal, kills: crash.kills, now });
      const over = now > window.last + PERIOD;
      if (over && (board.complete || now > window.last + PERIOD + SETTLED_WITHIN)) break;
      screen.status(`${board.settled} of ${board.instants.length} ticks · ${describeLoad(load.counts)}`);
      await sleep(LOOK_EVERY, undefined, { signal });
    }
    screen.step('waiting for the last answers …');
    await load.stop();
    replacement.abort();
    await Promise.all(replacing);
    await collector.finish();
  } finally {
    replacement.abort();
    collector.close();
    await load.stop(STOPPED_IN_HASTE);
  }
  return {
    window,
    records: collector.rows('billing'),
    kills: crash.kills,
    orders: load.orders,
    notes: [
      describeLoad(load.counts),
      ...(load.complaint ? [`the first unexpected answer: ${load.complaint}`] : []),
      ...describeInterval(collector.rows('statistics')),
    ],
  };
}

/**
 * @param {number} now by the store's clock
 * @param {number} seconds
 * @returns {Window}
 */
function windowFrom(now, seconds) {
  const first = Math.ceil((now + LEAD) / PERIOD) * PERIOD;
  const ticks = Math.floor((seconds * 1000) / PERIOD);
  return { first, last: first + (ticks - 1) * PERIOD, period: PERIOD };
}

/** Early enough for a second attempt, late enough to have seen some good ticks. @param {Window} window */
function crashPlace({ first, last }) {
  return Math.max(1, Math.floor((last - first) / PERIOD / 4));
}

/**
 * Puts a new process in the place of the dead one, as an orchestrator would.
 * @param {Stage} stage
 * @param {Kill} kill
 * @param {AbortSignal} signal
 */
async function replaceLater({ screen, fleet }, kill, signal) {
  try {
    await sleep(REPLACED_AFTER, undefined, { signal });
    await fleet.replace(kill.instance, signal);
    screen.line(
      screen.paint('dim', `  ${kill.instance} was started again: process ${fleet.get(kill.instance)?.pid}`),
    );
  } catch (error) {
    if (!signal.aborted) screen.line(`${kill.instance} was not started again: ${error}`);
  }
}

/**
 * @param {readonly TickRecord[]} runs
 * @returns {string[]}
 */
function describeInterval(runs) {
  const starts = runs.filter(({ attempt }) => attempt > 0).map(({ start }) => start);
  const gaps = starts.slice(1).map((start, index) => start - (starts[index] ?? start));
  if (gaps.length === 0) return [];
  return [`@Interval(5 s): ${starts.length} runs in the fleet, at least ${span(Math.min(...gaps))} apart`];
}
