import { chargedBy } from './crash.maker.mjs';
import { clockTime, money, plural, span } from './text.format.mjs';
import { fateOf, instantsOf } from './tick.fate.mjs';

/**
 * @typedef {import('./demo.types.js').Check} Check
 * @typedef {import('./demo.types.js').Facts} Facts
 * @typedef {import('./demo.types.js').Verdict} Verdict
 * @typedef {import('./tick.fate.mjs').Fate} Fate
 */

/** @type {ReadonlySet<Fate>} what may become of a tick */
const FINE = new Set([
  'completed',
  'crashed',
  'refused while the dead lease lived',
  'refused while the run before went on',
]);

/**
 * Whether each tick ran once, and no money was lost. Computed from the library's records, and checked against what the
 * library has no part in: the application's journal and ledger, and what the customers were told.
 * @param {Facts} facts
 * @returns {Verdict}
 */
export function judge(facts) {
  const checks = facts.library
    ? [...schedule(facts), balances(facts), quiet(facts)]
    : [ticksWithoutRecords(facts), runTwice(facts), balances(facts)];
  return { ok: checks.every(({ ok }) => ok), checks };
}

/** @param {Facts} facts */
function schedule(facts) {
  return [ticks(facts), runTwice(facts), missed(facts), crashed(facts), carriedOn(facts), evidence(facts)];
}

/** @param {Facts} facts @returns {Check} */
function ticks(facts) {
  const instants = instantsOf(facts.window);
  /** @type {Map<Fate, number>} */
  const tally = new Map();
  for (const instant of instants) {
    const fate = fateOf(instant, facts);
    tally.set(fate, (tally.get(fate) ?? 0) + 1);
  }
  const terms = [...tally].map(([fate, count]) => `${count} ${fate}`);
  const ok = [...tally.keys()].every((fate) => FINE.has(fate));
  return { label: 'ticks expected', ok, value: `${instants.length}`, detail: `= ${terms.join(' + ')}` };
}

/** @param {Facts} facts @returns {Check} */
function ticksWithoutRecords(facts) {
  const instants = instantsOf(facts.window);
  const runs = startsByTick(facts);
  const total = instants.reduce((sum, instant) => sum + (runs.get(instant)?.length ?? 0), 0);
  const ok = instants.every((instant) => runs.get(instant)?.length === 1);
  return {
    label: 'ticks expected',
    ok,
    value: `${instants.length}`,
    detail: `but ${total} runs in the journal`,
  };
}

/** @param {Facts} facts @returns {Check} */
function runTwice(facts) {
  const billed = [...startsByTick(facts)];
  const twice = billed.filter(([, runs]) => runs.length > 1);
  const [first] = twice;
  const detail = first
    ? `of ${billed.length} in the journal; ${clockTime(first[0])} by ${first[1].map(({ instance }) => instance).join(', ')}`
    : '';
  return { label: 'run twice', ok: twice.length === 0, value: `${twice.length}`, detail };
}

/** @param {Facts} facts @returns {Check} */
function missed(facts) {
  const lost = instantsOf(facts.window).filter((instant) => fateOf(instant, facts) === 'unaccounted for');
  return {
    label: 'missed without a reason',
    ok: lost.length === 0,
    value: `${lost.length}`,
    detail: lost.map(clockTime).join(', '),
  };
}

/** @param {Facts} facts @returns {Check} */
function crashed(facts) {
  const rows = facts.records.filter(({ outcome }) => outcome === 'crashed');
  const hits = facts.kills.filter(({ run, tick }) => {
    const charged = chargedBy(facts.journal, run);
    return charged > 0 && charged < facts.accounts.length && rows.some((row) => row.tick === tick);
  });
  const unexplained = rows.filter(({ tick }) => facts.kills.every((kill) => kill.tick !== tick));
  const parts = [
    ...hits.map(({ instance, run }) => {
      return `${instance}, after ${chargedBy(facts.journal, run)} of ${plural(facts.accounts.length, 'account')}`;
    }),
    ...unexplained.map(({ tick }) => `${clockTime(tick)} although nobody was killed`),
  ];
  return {
    label: 'crashed',
    ok: hits.length > 0 && unexplained.length === 0,
    value: `${rows.length}`,
    detail: hits.length > 0 ? parts.join('; ') : 'no run was cut between its first write and its last',
  };
}

/** @param {Facts} facts @returns {Check} */
function carriedOn({ kills, records, journal }) {
  const kill = kills.at(-1);
  const next = records.find(({ outcome, start }) => outcome === 'completed' && kill && start > kill.at);
  const by = journal.find(({ tick, event }) => tick === next?.tick && event === 'started')?.instance;
  if (!kill || !next || !by) return { label: 'carried on', ok: false, value: 'nobody', detail: '' };
  const detail = `with ${clockTime(next.tick)}, ${span(next.start - kill.at)} after the kill`;
  return { label: 'carried on', ok: true, value: by, detail };
}

/**
 * The journal knows exactly the runs that the records know, and each of them came to its end, unless we killed it:
 * also the ones outside the window, of which the last is stopped by SIGTERM.
 * @param {Facts} facts
 * @returns {Check}
 */
function evidence(facts) {
  const runs = startsByTick(facts);
  const differ = instantsOf(facts.window).filter((instant) => {
    const fate = fateOf(instant, facts);
    const ran = fate === 'completed' || fate === 'crashed' || fate === 'failed' || fate === 'still running';
    return (runs.get(instant)?.length ?? 0) > 0 !== ran;
  });
  const ended = new Set(facts.journal.filter(({ event }) => event === 'finished').map(({ run }) => run));
  for (const { run } of facts.kills) ended.add(run);
  const cut = [...runs].filter(([, starts]) => starts.some(({ run }) => !ended.has(run)));
  const wrong = [...differ.map(clockTime), ...cut.map(([tick]) => `${clockTime(tick)} did not end`)];
  return {
    label: 'journal against records',
    ok: wrong.length === 0,
    value: wrong.length === 0 ? 'agree' : 'differ',
    detail: wrong.join(', '),
  };
}

/** @param {Facts} facts @returns {Check} */
function balances({ accounts }) {
  /** @param {Facts['accounts'][number]} account */
  const expected = ({ opened, confirmed, unanswered, fees }) => opened + confirmed + unanswered - fees;
  const wrong = accounts
    .filter((account) => account.found !== expected(account))
    .map((account) => `${account.id} by ${money(account.found - expected(account))}`);
  const wanted = accounts.reduce((sum, account) => sum + expected(account), 0);
  const found = accounts.reduce((sum, account) => sum + account.found, 0);
  return {
    label: 'money expected',
    ok: wrong.length === 0,
    value: money(wanted),
    detail: `found ${money(found)}${wrong.length === 0 ? '' : `; off: ${wrong.join(', ')}`}`,
  };
}

/** @param {Facts} facts @returns {Check} */
function quiet({ problems }) {
  const [first = ''] = problems;
  return { label: 'errors logged', ok: problems.length === 0, value: `${problems.length}`, detail: first };
}

/**
 * @param {Facts} facts
 * @returns {Map<number, Facts['journal'][number][]>}
 */
function startsByTick({ journal }) {
  /** @type {Map<number, Facts['journal'][number][]>} */
  const runs = new Map();
  for (const entry of journal) {
    if (entry.event === 'started') runs.set(entry.tick, [...(runs.get(entry.tick) ?? []), entry]);
  }
  return runs;
}
