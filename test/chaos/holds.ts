import type { History, Told } from './history.js';
import type { LockSort } from './chaos.types.js';

type Of<K extends Told['kind']> = Extract<Told, { kind: K }>;

/** One call for a lock, and what became of it. Instants in µs. */
export interface Call {
  readonly id: string;
  readonly worker: number;
  readonly life: number;
  readonly sort: LockSort;
  readonly locks: readonly string[];
  /** Of a fixed lease, in ms; 0: the watchdog's. */
  readonly lease: number;
  /** The lease of its process' watchdog, in ms: as often as that is renewed, longer ones are looked at. Infinity when unknown. */
  readonly watchdog: number;
  readonly wanted: Of<'wanted'>;
  readonly granted: Of<'granted'> | undefined;
  readonly reentered: readonly Of<'reentered'>[];
  /** One for each re-entry, in their order, as far as they were unlocked. */
  readonly exited: readonly Of<'exited'>[];
  /** Confirmed renewals. */
  readonly renewed: readonly Of<'deadline'>[];
  readonly ended: Of<'ended'> | undefined;
  readonly released: Of<'released'> | undefined;
  readonly refused: Of<'refused'> | undefined;
  readonly looked: readonly Of<'looked'>[];
  /** When its process died, if it did so in the middle. */
  readonly died: number | undefined;
}

/** A call that was granted, and for how long it was believed in. */
export interface Hold extends Call {
  readonly granted: Of<'granted'>;
  /** When the belief ended: at its recorded end, or the local deadline if that came before, or with the process. */
  readonly until: number;
  /** The last local deadline that was known; Infinity for what has no lease. */
  readonly deadline: number;
}

interface Draft {
  wanted?: Of<'wanted'>;
  granted?: Of<'granted'>;
  reentered: Of<'reentered'>[];
  exited: Of<'exited'>[];
  renewed: Of<'deadline'>[];
  deadline: number;
  ended?: Of<'ended'>;
  released?: Of<'released'>;
  refused?: Of<'refused'>;
  looked: Of<'looked'>[];
}

/** Puts the events of each call together. */
export function readCalls(history: History): (Call | Hold)[] {
  const drafts = new Map<string, Draft>();
  /** When each holder id was first asked for: a hand-over inside the process goes on with the id, and the lease, of the hold before. */
  const begun = new Map<string, number>();
  const watchdogs = new Map<string, number>();
  for (const event of history.told) {
    if (event.kind === 'started') watchdogs.set(lifeOf(event), event.watchdog);
    if ('op' in event) note(drafts, event);
    if (event.kind === 'granted')
      begun.set(event.holder, Math.min(event.sent, begun.get(event.holder) ?? Infinity));
  }
  const deaths = new Map<string, number>();
  for (const event of history.watched)
    if (event.kind === 'signal' && event.what === 'kill') deaths.set(lifeOf(event), event.at);
  return [...drafts].flatMap(([id, draft]) => {
    const { wanted } = draft;
    if (wanted === undefined) return [];
    const life = lifeOf(wanted);
    // Who is stopped and then killed has not lived in between, but has believed nothing either.
    const died = draft.ended === undefined ? deaths.get(life) : undefined;
    const granted = draft.granted && {
      ...draft.granted,
      sent: begun.get(draft.granted.holder) ?? draft.granted.sent,
    };
    return [
      callOf(id, { ...draft, wanted, ...(granted && { granted }) }, watchdogs.get(life) ?? Infinity, died),
    ];
  });
}

/** By each name that they are about. */
export function callsByLock<C extends Call>(calls: readonly C[]): Map<string, C[]> {
  const locks = new Map<string, C[]>();
  for (const call of calls)
    for (const lock of call.locks) {
      const inLock = locks.get(lock);
      if (inLock === undefined) locks.set(lock, [call]);
      else inLock.push(call);
    }
  return locks;
}

/** In the order in which they were granted. */
export function byGrant(holds: readonly Hold[]): Hold[] {
  return holds.toSorted((one, other) => one.granted.at - other.granted.at);
}

export function isHold(call: Call): call is Hold {
  return call.granted !== undefined;
}

function lifeOf({ worker, life }: { readonly worker: number; readonly life: number }): string {
  return `${worker}.${life}`;
}

function note(drafts: Map<string, Draft>, event: Extract<Told, { op: number }>): void {
  const id = `${lifeOf(event)}.${event.op}`;
  const draft = drafts.get(id) ?? { reentered: [], exited: [], renewed: [], looked: [], deadline: Infinity };
  drafts.set(id, draft);
  switch (event.kind) {
    case 'wanted':
      draft.wanted = event;
      break;
    case 'granted':
      draft.granted = event;
      draft.deadline = event.deadline ?? Infinity;
      break;
    case 'exited':
      draft.exited.push(event);
      break;
    case 'reentered':
      draft.reentered.push(event);
      break;
    case 'deadline':
      draft.deadline = event.deadline;
      draft.renewed.push(event);
      break;
    case 'ended':
      draft.ended ??= event;
      if (event.deadline !== null) draft.deadline = event.deadline;
      break;
    case 'released':
      draft.released = event;
      break;
    case 'refused':
      draft.refused = event;
      break;
    case 'looked':
      draft.looked.push(event);
      break;
    case 'stale':
      break;
  }
}

function callOf(
  id: string,
  draft: Draft & { readonly wanted: Of<'wanted'> },
  watchdog: number,
  died: number | undefined,
): Call | Hold {
  const { wanted, granted, ended, deadline } = draft;
  const { released, refused, reentered, exited, renewed, looked } = draft;
  const { worker, life, sort, locks, lease } = wanted;
  const whose = { id, worker, life, sort, locks, lease, watchdog };
  const call = { ...whose, wanted, reentered, exited, renewed, looked, ended, released, refused };
  if (granted === undefined) return { ...call, granted, died };
  const end = ended?.at ?? died ?? Infinity;
  // A deadline may have been moved back after it was believed in for longer.
  const until = Math.max(ended?.lastHeld ?? granted.at, Math.min(end, deadline));
  return { ...call, granted, died, deadline, until };
}
