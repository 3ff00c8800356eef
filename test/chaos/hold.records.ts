import type { BelievedGrant, HoldRecord } from '../histories/hold.record.js';
import type { LockKind } from '../histories/operation.js';
import type { LockSort } from './chaos.types.js';
import { boundOf } from './check.exclusion.js';
import { STORE_CLOCK } from './check.tokens.js';
import type { Hold } from './holds.js';
import { length, without, type Disturbances } from './spans.js';

const KINDS: Readonly<Record<LockSort, LockKind>> = {
  reentrant: 'mutex',
  nonReentrant: 'mutex',
  fair: 'mutex',
  fenced: 'fenced',
  spin: 'mutex',
  read: 'read-write',
  write: 'read-write',
  multi: 'mutex',
  permit: 'permits',
  semaphore: 'permits',
  red: 'mutex',
};

/** What Redis says of a release; anything else is an error, and says nothing. */
const ANSWERS = new Set(['released', 'kept', 'lost']);

/**
 * What a judge of histories reads: the beliefs of I1. It knows no faults. So a hold that the store may have lost is one that may be over
 * from then on, unless its holder went on for longer than I1 allows: then the store had it still, or somebody is to blame.
 */
export function recordsOf(holds: readonly Hold[], disturbances: Disturbances): HoldRecord[] {
  const stepped = Math.min(
    ...disturbances.faults.flatMap(({ name, from }) => (name === STORE_CLOCK ? [from] : [])),
  );
  return holds
    .filter((hold) => isCounted(hold, disturbances))
    .map((hold) => recordOf(hold, { disturbances, stepped }));
}

/** A plain semaphore has no record of its holders: after a loss of data, its holds cannot be judged any more. */
function isCounted({ sort, granted }: Hold, disturbances: Disturbances): boolean {
  return sort !== 'semaphore' || !disturbances.isLossy({ from: 0, to: granted.at });
}

interface Around {
  readonly disturbances: Disturbances;
  /** When the store's clock was stepped first: what was lost after that may have had higher tokens. */
  readonly stepped: number;
}

function recordOf(hold: Hold, { disturbances, stepped }: Around): HoldRecord {
  const { id, sort, worker, life, locks, wanted, granted, released } = hold;
  const tokenOf = ({ token, at }: { readonly token?: string | undefined; readonly at: number }) =>
    at < stepped ? token : undefined;
  return {
    client: `${worker}.${life}`,
    kind: KINDS[sort],
    keys: locks,
    // A holder id goes on to the next hold of its process: that is no re-entry.
    owner: `${granted.holder}@${id}`,
    call: Math.max(wanted.at, granted.sent),
    held: granted.at,
    // A grant that came when its lease was over was believed in by no caller.
    until: hold.until > granted.at ? hold.until : Math.min(granted.at, hold.deadline),
    answered: answerOf(released),
    token: tokenOf(granted),
    reentries: reentriesOf(hold).map((inner, place) => ({
      ...inner,
      token: tokenOf(hold.reentered[place] ?? { at: Infinity }),
    })),
    lostFrom: lostFrom(hold, disturbances),
    ...(KINDS[sort] === 'read-write' ? { side: sort === 'read' ? 'read' : 'write' } : {}),
    ...(wanted.room === undefined ? {} : { room: wanted.room, places: wanted.permits ?? 1 }),
  };
}

function reentriesOf({ reentered, exited, until }: Hold): BelievedGrant[] {
  return reentered.map(({ sent, at }, place) => ({
    call: sent,
    held: at,
    until: exited[place]?.sent ?? until,
    answered: answerOf(exited[place]),
  }));
}

function answerOf(answer: { readonly outcome: string; readonly at: number } | undefined): number {
  return answer !== undefined && ANSWERS.has(answer.outcome) ? answer.at : Infinity;
}

/** The first loss of data that may have taken this hold. */
function lostFrom(hold: Hold, disturbances: Disturbances): number | undefined {
  const losses = disturbances.faults.filter(({ lossy, from, to }) => {
    if (!lossy || from >= hold.until || to <= hold.granted.sent) return false;
    const after = { from: Math.max(to, hold.granted.at), to: hold.until };
    const unaware = length(without(after, disturbances.stopsOf(hold.worker)));
    return after.from >= after.to || unaware <= boundOf(hold, after, disturbances);
  });
  return losses.length === 0 ? undefined : Math.min(...losses.map(({ from }) => from));
}
