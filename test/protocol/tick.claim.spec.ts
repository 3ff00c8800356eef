import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { coarse, held, ProtocolStage, type LockState } from './protocol.stage.js';
import { begin, claim, RUNNER, settledRows, wholeState, type Claim } from './tick.calls.js';

const OTHER = '6e38a1f0-0000-4000-8000-000000000002:3';
const FREE: LockState = 'free';
const S = 1000;
const S10 = 10_000;
const LOST = /^record lost/;
const OLD = /^too old/;

let stage: ProtocolStage;
beforeAll(() => {
  stage = ProtocolStage.open(inject('redisUrl'));
});
afterAll(() => stage.close());

/** What a verdict writes: outcome, instant, and whatever else matters. Instants are relative to the store's now. */
type Note = readonly [outcome: string, tick: number | 'now', reason: RegExp, after?: number];
interface Case {
  readonly mark?: number | string;
  /** Who has the lock: the last run, or somebody else; `dead` has a run in the record and no lock. */
  readonly lock?: 'running' | 'dead' | typeof OTHER;
  readonly claim: Claim & {
    readonly tick?: number;
    readonly following?: number | '';
    readonly previous?: number | '';
  };
  readonly verdict: number;
  /** What a grant has behind the store's time, but for its rows; instants relative to the store's now. */
  readonly rest?: readonly unknown[];
  readonly notes?: readonly Note[];
  readonly again?: number;
}

const CRON = { mode: 'cron', tick: -S, following: 60 * S };
const EVERY = { mode: 'interval', following: 60 * S };
const TOKEN: unknown = expect.stringMatching(/^\d{16}$/);
const GRANTED = { verdict: 1, rest: [TOKEN, 1, -S] };

// prettier-ignore
const CASES: Record<string, Case> = {
  'a current tick above the mark is granted': { mark: -61 * S, claim: CRON, ...GRANTED },
  'a tick in the future is early': { mark: -61 * S, claim: { ...CRON, tick: 60 * S }, verdict: 5 },
  'a tick that has a successor already is stale': { mark: -90 * S, claim: { ...CRON, tick: -61 * S, following: -S }, verdict: 6 },
  'an early tick is early also where the mark is ahead of it': { mark: 90 * S, claim: { ...CRON, tick: 60 * S }, verdict: 5 },
  'the tick of the mark is taken': { mark: -S, claim: CRON, verdict: 2 },
  'a tick below the mark is taken': { mark: -S / 2, claim: CRON, verdict: 2 },
  'a tick is taken while the mark is ahead of the clock': { mark: 3600 * S, claim: CRON, verdict: 2 },
  'a taken tick says nothing of the run under skip': { mark: -S, lock: 'running', claim: CRON, verdict: 2 },
  'a tick without a mark is missed, and sets it': { claim: CRON, verdict: 4, notes: [['missed', -S, LOST]], again: 2 },
  'a mark that is no number counts as none': { mark: 'x', claim: CRON, verdict: 4, notes: [['missed', -S, LOST]], again: 2 },
  'a tick of a held lock is overlapped': { mark: -61 * S, lock: OTHER, claim: CRON, verdict: 3, notes: [['overlapped', -S, new RegExp(OTHER)]], again: 2 },
  'a tick over the last run is overlapped': { mark: -61 * S, lock: 'running', claim: CRON, verdict: 3, notes: [['overlapped', -S, /last run/]], again: 2 },
  'the first tick after a dead run is granted, and names the run crashed': { mark: -61 * S, lock: 'dead', claim: CRON, ...GRANTED, notes: [['crashed', -61 * S, /lease ended/]] },
  'a gap before a granted tick is noted': { mark: -200 * S, claim: { ...CRON, previous: -61 * S }, ...GRANTED, notes: [['missed', -61 * S, /no instance/, -200 * S]] },
  'a gap before an overlapped tick is noted too': { mark: -200 * S, lock: OTHER, claim: { ...CRON, previous: -61 * S }, verdict: 3, notes: [['overlapped', -S, /held by/], ['missed', -61 * S, /no instance/, -200 * S]], again: 2 },
  'no gap is noted where the mark is the instant before': { mark: -61 * S, claim: { ...CRON, previous: -61 * S }, ...GRANTED },
  'a tick that is closed is missed, and never run': { mark: -61 * S, claim: { ...CRON, mode: 'close' }, verdict: 4, notes: [['missed', -S, OLD]], again: 2 },
  'a tick that ran is not closed': { mark: -S, claim: { ...CRON, mode: 'close' }, verdict: 2 },
  'a tick in the future is not closed': { mark: -61 * S, claim: { mode: 'close', tick: 60 * S }, verdict: 5 },
  'a last tick, with none after it, is granted however late': { mark: -9000 * S, claim: { ...CRON, tick: -8000 * S, following: '' }, verdict: 1, rest: [TOKEN, 1, -8000 * S] },
  'an interval is granted when it has passed since the last start': { mark: -61 * S, claim: EVERY, verdict: 1, rest: [TOKEN, 1, 'now'] },
  'an interval is taken before it has passed': { mark: -4 * S, claim: EVERY, verdict: 2 },
  'an interval is taken while its last start is ahead of the clock': { mark: 3600 * S, claim: EVERY, verdict: 2 },
  'an interval without a mark is missed, and starts from now': { claim: EVERY, verdict: 4, notes: [['missed', 'now', LOST]], again: 2 },
  'an interval of a held lock is overlapped, and starts from now': { mark: -61 * S, lock: OTHER, claim: EVERY, verdict: 3, notes: [['overlapped', 'now', /held by/]], again: 2 },
  'an instant is granted without a mark': { claim: { mode: 'instant', tick: -S }, ...GRANTED },
  'an instant is granted however far ahead': { mark: -S, claim: { mode: 'instant', tick: 9e9 }, verdict: 1, rest: [TOKEN, 1, 9e9] },
  'an instant that does not rise is taken': { mark: -S, claim: { mode: 'instant', tick: -S }, verdict: 2 },
};

/** The verdicts that move the mark. */
const MOVING = new Set([1, 3, 4]);

for (const [
  name,
  { claim: wanted, mark, lock, verdict, rest = [], notes = [], again = verdict },
] of Object.entries(CASES)) {
  test(`${name}`, async () => {
    const names = stage.names();
    const now = await stage.now();
    const instant = (offset: number | '' | undefined) => (typeof offset === 'number' ? now + offset : '');
    if (lock === OTHER) await stage.put(names.lock, held({ [OTHER]: 1 }, S10));
    else if (lock !== undefined) await begin(stage, names, { holder: OTHER, tick: now + Number(mark) });
    if (lock === 'dead') await stage.put(names.lock, FREE);
    if (mark !== undefined)
      await stage.redis.hset(names.record, 'mark', typeof mark === 'number' ? now + mark : mark);
    const before = await wholeState(stage, names);
    const interval = wanted.mode === 'interval';
    const call = {
      ...wanted,
      tick: instant(wanted.tick),
      following: interval ? (wanted.following ?? '') : instant(wanted.following),
      previous: instant(wanted.previous),
    };

    const [code, at, ...others] = await claim(stage, names, call);
    const relative = (value: unknown) =>
      value === at ? 'now' : Number(value) > 1e11 ? Number(value) - now : coarse(value);
    const high = `${interval ? Number(at) : instant(wanted.tick)}`;
    const last = MOVING.has(verdict) ? Number(high) : now + Number(mark);
    expect([code, ...others.map((value) => (typeof value === 'number' ? relative(value) : value))]).toEqual([
      verdict,
      ...(verdict === 1 ? rest : [0, relative(last), 0]),
      expect.any(Array),
    ]);
    expect(at).toBeGreaterThanOrEqual(now);
    expect(at).toBeLessThanOrEqual(await stage.now());

    const moved: unknown = expect.objectContaining({ record: expect.objectContaining({ mark: high }) });
    const written = MOVING.has(verdict) ? moved : before;
    const state = await wholeState(stage, names);
    expect(state).toEqual(written);
    expect(await stage.redis.hget(names.lock, RUNNER)).toBe(verdict === 1 ? '1' : null);
    const rows = await settledRows(stage, names);
    expect(others.at(-1)).toEqual(
      await stage.redis.lrange(names.runs, 0, -1).then((all) => all.toReversed()),
    );
    expect(rows.map((row) => [row['outcome'], relative(row['tick']), row['reason'], row['after']])).toEqual(
      notes.map(([outcome, tick, reason, after]) => [
        outcome,
        tick,
        expect.stringMatching(reason),
        after && now + after,
      ]),
    );

    const [second] = await claim(stage, names, call);
    expect(second).toBe(again);
    expect(await wholeState(stage, names)).toEqual(state);
  });
}
