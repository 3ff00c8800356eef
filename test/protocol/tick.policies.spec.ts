import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { coarse, held, ProtocolStage, type LockState, type Names } from './protocol.stage.js';
import {
  again,
  begin,
  claim,
  finish,
  GRACE,
  request,
  pause,
  RUNNER,
  settledRows,
  wholeState,
  type Again,
  type Claim,
} from './tick.calls.js';

const OTHER = '6e38a1f0-0000-4000-8000-000000000002:3';
const CALLER = '6e38a1f0-0000-4000-8000-000000000003:9';
const FREE: LockState = 'free';
const S = 1000;
const S10 = 10_000;

let stage: ProtocolStage;
beforeAll(() => {
  stage = ProtocolStage.open(inject('redisUrl'));
});
afterAll(() => stage.close());

/** What was there before the claim: the last run and what became of it, who has the lock, and what waits. Instants relative to the store's now. */
interface Given {
  readonly mark?: number;
  /** The tick of a run that still has the lock, or that died. */
  readonly running?: number;
  readonly dead?: number;
  /** A re-entry of the run has a lease of a minute. */
  readonly isReentered?: boolean;
  /** A tick that was handed over before it began; under `old` long ago. */
  readonly returned?: number;
  readonly handedOver?: number;
  readonly isOld?: boolean;
  readonly queued?: number;
  readonly requested?: 'in time' | 'too late';
  /** The run that died, or was handed over, was asked for by hand, and had begun. */
  readonly isByHand?: boolean;
  readonly paused?: boolean;
  /** A direct call has the lock. */
  readonly held?: boolean;
}

type Ask =
  | (Claim & { readonly tick?: number; readonly following?: number; readonly previous?: number })
  | (Again & { readonly mode: 'again' });

const isAgain = (ask: Ask): ask is Again & { readonly mode: 'again' } => ask.mode === 'again';

interface Case {
  readonly given: Given;
  readonly ask: Ask;
  /** A grant: tick and attempt. Any other verdict: its number, ms to wait (rounded up to 10 s), and whether to listen. */
  readonly gives: readonly ['granted', number | 'now', number] | readonly [number, number, 0 | 1];
  /** Newest first: outcome, tick, attempt. */
  readonly rows?: readonly (readonly [string, number, number])[];
  /** Where the mark is afterwards. */
  readonly mark?: number | 'now';
}

const CRON = { mode: 'cron', tick: -S, following: 60 * S, previous: -61 * S } as const;
const RETRY = { ...CRON, onCrash: 'retry' };
const QUEUE = { ...CRON, overlap: 'queue' };
const AGAIN = { mode: 'again' } as const;
const AGAIN_RETRY = { mode: 'again', onCrash: 'retry' } as const;
const LAST = -61 * S;

// prettier-ignore
const CASES: Record<string, Case> = {
  'a dead run is retried before a newer tick, which moves no mark': { given: { dead: LAST }, ask: RETRY, gives: ['granted', LAST, 2], rows: [['crashed', LAST, 1]], mark: LAST },
  'a dead run is retried however old it is': { given: { dead: -90_000 * S }, ask: { ...RETRY, tick: -80_000 * S, following: -70_000 * S }, gives: ['granted', -90_000 * S, 2], rows: [['crashed', -90_000 * S, 1]], mark: -90_000 * S },
  'a dead run is retried where no tick is asked for': { given: { dead: LAST }, ask: AGAIN_RETRY, gives: ['granted', LAST, 2], rows: [['crashed', LAST, 1]], mark: LAST },
  'a dead run is not retried while a direct call has the lock, and nothing is written': { given: { dead: LAST, held: true }, ask: RETRY, gives: [2, S10, 1] },
  'a dead run is not retried under skip': { given: { dead: LAST }, ask: AGAIN, gives: [2, 0, 0] },
  'a dead run is not retried by an instant of its own': { given: { dead: LAST }, ask: { mode: 'instant', tick: -S, onCrash: 'retry' }, gives: ['granted', -S, 1], rows: [['crashed', LAST, 1]], mark: -S },
  'a loser is told what is left of the run under retry': { given: { running: -S }, ask: RETRY, gives: [2, S10, 0] },
  'a loser asks again under retry after the lease of a run, though a re-entry has a longer one': { given: { running: -S, isReentered: true }, ask: RETRY, gives: [2, S10, 0] },
  'a loser is told nothing under skip': { given: { running: -S }, ask: CRON, gives: [2, 0, 0] },
  'a tick over a run is overlapped under retry, and says when to ask again': { given: { running: LAST }, ask: RETRY, gives: [3, S10, 0], rows: [['overlapped', -S, 0]], mark: -S },
  'a lost record is no reason not to run under retry': { given: {}, ask: RETRY, gives: ['granted', -S, 1], mark: -S },
  'a tick that is too old is missed under retry too, without a record': { given: {}, ask: { ...RETRY, mode: 'close' }, gives: [4, 0, 0], rows: [['missed', -S, 0]], mark: -S },

  'a tick is queued while the lock is held': { given: { mark: LAST, held: true }, ask: QUEUE, gives: [7, S10, 1], mark: -S },
  'a tick is queued over the last run': { given: { running: LAST }, ask: QUEUE, gives: [7, S10, 1], mark: -S },
  'a newer tick takes the place of a queued one': { given: { mark: LAST, queued: LAST, held: true }, ask: QUEUE, gives: [7, S10, 1], rows: [['overlapped', LAST, 0]], mark: -S },
  'a newer tick that can run passes a queued one': { given: { mark: LAST, queued: LAST }, ask: QUEUE, gives: ['granted', -S, 1], rows: [['overlapped', LAST, 0]], mark: -S },
  'a loser is told of a queue': { given: { mark: -S, queued: -S, held: true }, ask: CRON, gives: [2, S10, 1] },
  'a queued tick is run when the lock is free, however old it is': { given: { mark: -900 * S, queued: -900 * S }, ask: AGAIN, gives: ['granted', -900 * S, 1], mark: -900 * S },
  'a queued tick waits on while the lock is held': { given: { mark: LAST, queued: LAST, held: true }, ask: AGAIN, gives: [2, S10, 1] },
  'a queued tick that a claim of an older version has passed is overlapped': { given: { mark: -S, queued: LAST }, ask: AGAIN, gives: [2, 0, 0], rows: [['overlapped', LAST, 0]] },
  'a queued tick after a dead run closes it': { given: { dead: LAST, queued: LAST }, ask: AGAIN, gives: ['granted', LAST, 1], rows: [['crashed', LAST, 1]] },
  'an interval that was queued counts from its start': { given: { mark: LAST, queued: LAST }, ask: { ...AGAIN, gap: 1000 }, gives: ['granted', LAST, 1], mark: 'now' },
  'an interval that is retried takes the place of a queued one': { given: { dead: LAST, mark: -S, queued: -S }, ask: { ...AGAIN_RETRY, gap: 1000 }, gives: ['granted', LAST, 2], rows: [['overlapped', -S, 0], ['crashed', LAST, 1]], mark: 'now' },
  'an interval that is retried takes the place of one that was queued before the clock stepped back': { given: { dead: LAST, mark: 5 * S, queued: 5 * S }, ask: { ...AGAIN_RETRY, gap: 1000 }, gives: ['granted', LAST, 2], rows: [['overlapped', 5 * S, 0], ['crashed', LAST, 1]], mark: 5 * S },
  'a retry by the claim of an interval takes the place of a queued one, too': { given: { dead: LAST, mark: 5 * S, queued: 5 * S }, ask: { mode: 'interval', following: 1000, onCrash: 'retry' }, gives: ['granted', LAST, 2], rows: [['overlapped', 5 * S, 0], ['crashed', LAST, 1]], mark: 5 * S },
  'an interval whose run by hand is retried keeps its mark, and its queued run': { given: { dead: LAST, mark: -S, queued: -S, isByHand: true }, ask: { ...AGAIN_RETRY, gap: 1000 }, gives: ['granted', LAST, 2], rows: [['crashed', LAST, 1]], mark: -S },
  'an interval whose run by hand was handed over keeps its mark, too': { given: { handedOver: LAST, mark: -S, queued: -S, isByHand: true }, ask: { ...AGAIN_RETRY, gap: 1000 }, gives: ['granted', LAST, 2], rows: [['handed-over', LAST, 1]], mark: -S },
  'a retry by hand through the claim of an interval moves no mark': { given: { dead: LAST, mark: -S, queued: -S, isByHand: true }, ask: { mode: 'interval', following: 1000, onCrash: 'retry' }, gives: ['granted', LAST, 2], rows: [['crashed', LAST, 1]], mark: -S },

  'a tick that never began is run as the same attempt, also under skip': { given: { returned: LAST }, ask: AGAIN, gives: ['granted', LAST, 1], mark: LAST },
  'a tick that was handed over comes before a newer one': { given: { returned: LAST }, ask: CRON, gives: ['granted', LAST, 1], mark: LAST },
  'a tick that was handed over too long ago is missed under skip, and the newer one runs': { given: { returned: LAST, isOld: true }, ask: CRON, gives: ['granted', -S, 1], rows: [['missed', LAST, 0]], mark: -S },
  'a tick that never began, and whose instant is too long past, is missed under skip': { given: { returned: LAST }, ask: { ...AGAIN, grace: 1 }, gives: [2, 0, 0], rows: [['missed', LAST, 0]], mark: LAST },
  'a tick that was handed over is run under retry however long ago': { given: { returned: LAST, isOld: true }, ask: AGAIN_RETRY, gives: ['granted', LAST, 1], mark: LAST },
  'a run that was stopped midway is another attempt': { given: { handedOver: LAST }, ask: AGAIN_RETRY, gives: ['granted', LAST, 2], rows: [['handed-over', LAST, 1]], mark: LAST },
  'a tick that was handed over waits while the lock is held': { given: { returned: LAST, held: true }, ask: AGAIN, gives: [2, S10, 1], mark: LAST },

  'a paused job passes its ticks without a row each': { given: { mark: LAST, paused: true }, ask: CRON, gives: [8, 0, 0], mark: -S },
  'a paused job retries nothing': { given: { dead: LAST, paused: true }, ask: RETRY, gives: [8, 0, 0], mark: -S },
  'a paused job runs nothing that was handed over': { given: { returned: LAST, paused: true }, ask: AGAIN_RETRY, gives: [8, 0, 0], mark: LAST },
  'a paused job runs no instant': { given: { mark: LAST, paused: true }, ask: { mode: 'instant', tick: -S }, gives: [8, 0, 0], mark: -S },
  'a request is served while the job is paused': { given: { mark: LAST, paused: true, requested: 'in time' }, ask: AGAIN, gives: ['granted', 'now', 1], mark: LAST },
  'a request is served once, and moves no mark': { given: { mark: LAST, requested: 'in time' }, ask: AGAIN, gives: ['granted', 'now', 1], mark: LAST },
  'a request waits while the lock is held': { given: { mark: LAST, held: true, requested: 'in time' }, ask: AGAIN, gives: [2, S10, 1] },
  'a request comes behind a run that died': { given: { dead: LAST, requested: 'in time' }, ask: AGAIN_RETRY, gives: ['granted', LAST, 2], rows: [['crashed', LAST, 1]] },
  'a request that nobody took in time is dropped': { given: { mark: LAST, requested: 'too late' }, ask: AGAIN, gives: [2, 0, 0], mark: LAST },
  'a tick is claimed whatever was requested': { given: { mark: LAST, requested: 'in time' }, ask: CRON, gives: ['granted', -S, 1], mark: -S },
};

/** As the run of a served request is stored. */
async function markByHand(names: Names): Promise<void> {
  const run = JSON.parse((await stage.redis.hget(names.record, 'run')) ?? '{}') as object;
  await stage.redis.hset(names.record, 'run', JSON.stringify({ ...run, requestedBy: 'an operator' }));
}

async function arrange(names: Names, now: number, given: Given): Promise<void> {
  const { mark, running, dead, returned, handedOver, queued } = given;
  const tick = running ?? dead ?? returned ?? handedOver;
  if (tick !== undefined) {
    const token = await begin(stage, names, { holder: OTHER, tick: now + tick });
    if (given.isByHand === true) await markByHand(names);
    const outcome = returned === undefined ? 'handed-over' : 'returned';
    if (dead !== undefined) await stage.put(names.lock, FREE);
    else if (running === undefined) await finish(stage, names, { holder: OTHER, token, outcome });
  }
  if (given.isReentered === true) await stage.redis.pexpire(names.lock, 60 * S);
  if (mark !== undefined) await stage.redis.hset(names.record, 'mark', now + mark);
  if (queued !== undefined) await stage.redis.hset(names.record, 'queued', now + queued);
  if (given.isOld === true) {
    const [handed] = JSON.parse((await stage.redis.hget(names.record, 'handed')) ?? '[]') as object[];
    await stage.redis.hset(names.record, 'handed', JSON.stringify([{ ...handed, at: now - GRACE - 1 }]));
  }
  if (given.requested === 'in time') await request(stage, names, 'r1');
  if (given.requested === 'too late')
    await stage.redis.hset(names.record, 'request', JSON.stringify({ id: 'r1', until: now - 1 }));
  if (given.paused === true) await pause(stage, names);
  if (given.held === true) await stage.put(names.lock, held({ [CALLER]: 1 }, S10));
}

for (const [name, { given, ask, gives, rows = [], mark }] of Object.entries(CASES)) {
  test(`${name}`, async () => {
    const names = stage.names();
    const now = await stage.now();
    await arrange(names, now, given);
    const before = await wholeState(stage, names);
    const instant = (offset: number | undefined) => (offset === undefined ? '' : now + offset);
    const call = () =>
      isAgain(ask)
        ? again(stage, names, ask)
        : claim(stage, names, {
            ...ask,
            tick: instant(ask.tick),
            following: instant(ask.following),
            previous: instant(ask.previous),
          });

    const [code, at, ...rest] = await call();
    const relative = (tick: unknown) => (tick === at ? 'now' : Number(tick) - now);
    expect(code === 1 ? ['granted', relative(rest[2]), rest[1]] : [code, coarse(rest[0]), rest[2]]).toEqual(
      gives,
    );
    const isGranted = gives[0] === 'granted';
    expect(await stage.redis.hexists(names.lock, RUNNER)).toBe(isGranted ? 1 : 0);
    const settled = await settledRows(stage, names);
    expect(settled.map((row) => [row['outcome'], Number(row['tick']) - now, row['attempt']])).toEqual(rows);
    const moved = mark === 'now' ? at : mark === undefined ? before.record['mark'] : now + mark;
    const state = await wholeState(stage, names);
    expect(Number(state.record['mark'] ?? 0)).toBe(Number(moved ?? 0));
    const isSilent = !isGranted && rows.length === 0 && mark === undefined;
    expect(state).toEqual(isSilent ? before : state);

    // A grant is given again; a verdict is final, so that nothing more is written.
    const [second] = await call();
    expect(second === 1).toBe(isGranted);
    expect(await wholeState(stage, names)).toEqual(state);
  });
}
