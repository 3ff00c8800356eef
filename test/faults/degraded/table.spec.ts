import { beforeAll, describe, test } from 'vitest';
import { scaled } from '../../support/slowness.js';
import { COMMAND_TIMEOUT } from './degraded.app.js';
import { play, type Episode } from './degraded.episode.js';
import * as states from './redis.states.js';
import * as cells from './table.cells.js';
import { expectCell, expectServed } from './table.cells.js';

/** In ms: so long that its end frees nothing here, and one that is over soon. */
const LEASE = { long: 60_000, short: 5000 };

interface TableRow extends cells.Row {
  readonly state: states.RedisState;
  readonly lease?: number;
}

const AWAY: cells.Row = {
  tryLock: cells.refused('UNAVAILABLE'),
  lock: cells.waits('UNAVAILABLE'),
  handler: cells.answers503('UNAVAILABLE'),
  cron: cells.skipsTicks,
  unlock: cells.goesOnLater('UNAVAILABLE'),
};

const REFUSING: cells.Row = {
  tryLock: cells.refused('REJECTED_BY_REDIS'),
  lock: cells.waits('REJECTED_BY_REDIS'),
  handler: cells.answers503('REJECTED_BY_REDIS'),
  cron: cells.skipsTicks,
  unlock: cells.goesOnLater('REJECTED_BY_REDIS'),
};

/** The table of docs/degraded-redis.md. */
const TABLE: readonly TableRow[] = [
  { state: states.down, ...AWAY },
  { state: states.silent, ...AWAY },
  { state: states.slowBy(3 * COMMAND_TIMEOUT), ...AWAY },
  { state: states.loading, ...AWAY },
  {
    // Its connections are made anew now and then, as the address may lead to the master by now.
    state: states.readOnly,
    tryLock: cells.refused('REJECTED_BY_REDIS', 'UNAVAILABLE'),
    lock: cells.waits('REJECTED_BY_REDIS', 'UNAVAILABLE'),
    handler: cells.answers503('REJECTED_BY_REDIS', 'UNAVAILABLE'),
    cron: cells.skipsTicks,
    unlock: cells.goesOnLater('REJECTED_BY_REDIS', 'UNAVAILABLE'),
  },
  { state: states.full, ...REFUSING, unlock: cells.frees },
  { state: states.unsaved, ...REFUSING },
  { state: states.busy, ...REFUSING },
  {
    state: states.forbidden,
    ...REFUSING,
    lock: cells.rejectsAtOnce,
    lease: LEASE.short,
    unlock: cells.leavesToLease(LEASE.short),
  },
];

describe.each(TABLE.map((row) => [row.state.is, row] as const))(
  'while Redis %s',
  (_is, { state, lease = LEASE.long, ...row }) => {
    let episode: Episode;
    beforeAll(async () => {
      episode = await play(state, lease);
      const { recovery, freed } = episode;
      const times = Object.entries({ ...recovery, freed }).map(([what, ms]) => `${what} ${ms.toFixed(0)}`);
      console.log(`Redis ${state.is}; back again after, in ms: ${times.join(', ')}`);
    }, scaled(60_000));

    test(`tryLock() ${row.tryLock.does}`, () => expectCell(row.tryLock, episode));
    test(`lock() ${row.lock.does}`, () => expectCell(row.lock, episode));
    test(`a guarded handler ${row.handler.does}`, () => expectCell(row.handler, episode));
    test(`a guarded cron job ${row.cron.does}`, () => expectCell(row.cron, episode));
    test(`unlock() ${row.unlock.does}`, () => expectCell(row.unlock, episode));

    test('what needs no lock is served as ever', () => expectServed(episode.free));
  },
);
