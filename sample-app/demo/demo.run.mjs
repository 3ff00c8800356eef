import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { provideRedis } from '../../tools/redis/redis.runner.mjs';
import { BankReader } from './bank.reader.mjs';
import { build, checkBuilt } from './build.step.mjs';
import { Fleet } from './fleet.runner.mjs';
import { watchWindow } from './demo.watch.mjs';
import { plural } from './text.format.mjs';
import { judge } from './verdict.mjs';
import { printVerdict } from './verdict.report.mjs';

/**
 * @typedef {import('./demo.types.js').DemoOptions} DemoOptions
 * @typedef {import('./terminal.screen.mjs').Screen} Screen
 */

/** A killed instance keeps its locks for this long, ms. */
const LEASE = 2_000;
const STOPPED_WITHIN = 20_000;
const STOPPED_IN_HASTE = 3_000;
const ACCOUNTS = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank'];
/** Cents. */
const OPENED = 100_000;

/**
 * The whole demo, and everything that it started gone afterwards.
 * @param {DemoOptions} options
 * @param {Screen} screen
 * @param {AbortSignal} signal
 * @returns {Promise<boolean>} whether the verdict is good
 */
export async function runDemo(options, screen, signal) {
  /** @type {(() => Promise<unknown>)[]} */
  const cleanups = [];
  try {
    if (options.build) {
      screen.step('building …');
      await build(signal);
    }
    checkBuilt(options.unsafe);
    screen.step('starting Redis …');
    const redis = await provideRedis();
    cleanups.push(() => redis.stop());

    const prefix = `demo-${randomUUID().slice(0, 8)}:`;
    const bank = new BankReader(redis.url, prefix);
    cleanups.push(async () => {
      if (redis.pid === 0) await bank.removeKeys();
      bank.close();
    });

    const env = { REDIS_URL: redis.url, KEY_PREFIX: prefix, LOCK_WATCHDOG_TIMEOUT: `${LEASE}` };
    const fleet = new Fleet({ ...options, env });
    cleanups.push(() => fleet.stop(STOPPED_IN_HASTE));
    screen.step(`starting ${plural(options.instances, 'instance')} …`);
    await fleet.start(signal);
    await openAccounts(fleet, signal);
    introduce(options, screen, fleet);
    if (options.board) introduceBoard(screen, redis.url, prefix);

    const watched = await watchWindow({
      options,
      screen,
      signal,
      bank,
      fleet,
      accounts: ACCOUNTS,
      lease: LEASE,
    });
    if (options.board) return await leaveRunning(screen, signal, fleet);
    screen.step('stopping the instances …');
    const killed = await fleet.stop(STOPPED_WITHIN);
    await bank.finish();
    const { orders, notes, ...facts } = watched;
    const accounts = await Promise.all(ACCOUNTS.map((id) => bank.facts(id, OPENED, orders)));
    const verdict = judge({
      ...facts,
      library: !options.unsafe,
      lease: LEASE,
      journal: bank.journal,
      accounts,
      problems: [...fleet.problems, ...killed.map((name) => `${name} did not stop on SIGTERM`)],
    });
    printVerdict(screen, verdict, notes);
    return verdict.ok;
  } finally {
    screen.clearStatus();
    for (const cleanup of cleanups.toReversed()) {
      await cleanup().catch((error) => screen.line(`while cleaning up: ${error}`));
    }
  }
}

/**
 * @param {Fleet} fleet
 * @param {AbortSignal} signal
 */
async function openAccounts(fleet, signal) {
  const [instance] = fleet.serving;
  for (const id of ACCOUNTS) {
    const answer = await fetch(`${instance?.url}/accounts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id, balance: OPENED }),
      signal,
    });
    if (!answer.ok)
      throw new Error(`account ${id} could not be opened: ${answer.status} ${await answer.text()}`);
  }
}

/**
 * @param {DemoOptions} options
 * @param {Screen} screen
 * @param {Fleet} fleet
 */
function introduce({ unsafe, seconds }, screen, fleet) {
  screen.clearStatus();
  screen.line(`${plural(fleet.serving.length, 'instance')} of the sample app, one Redis, ${seconds} s.`);
  screen.line(
    'Every 2 s one of them has to bill all accounts, while customers withdraw, deposit and transfer.',
  );
  if (unsafe) screen.line(screen.paint('red', '--unsafe: the same application WITHOUT the library.'));
  for (const { name, pid, url } of fleet.serving)
    screen.line(screen.paint('dim', `  ${name}  ${url}  process ${pid}`));
  screen.line();
}

/**
 * The dashboard is named when the crash is over: until then any instance may be killed, and its page with it.
 * @param {Screen} screen
 * @param {string} redis
 * @param {string} prefix
 */
function introduceBoard(screen, redis, prefix) {
  screen.line('The command line shows the same jobs, here in the clone:');
  screen.line(`npx nestjs-distributed-lock jobs --redis ${redis} --prefix ${prefix}lock:`);
  screen.line('The address of the dashboard follows when the crash is over.');
  screen.line();
}

/**
 * Leaves the instances at their work until the demo is interrupted.
 * @param {Screen} screen
 * @param {AbortSignal} signal
 * @param {Fleet} fleet
 * @returns {Promise<never>}
 */
async function leaveRunning(screen, signal, fleet) {
  screen.clearStatus();
  screen.line(
    `The instances go on. The dashboard is at ${fleet.serving[0]?.url}/locks (end it with Ctrl+C).`,
  );
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}
