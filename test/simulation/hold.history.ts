import type { HoldRecord } from '../histories/hold.record.js';
import type { LockKind } from '../histories/operation.js';

/** What a look at a caller finds that believes in its lock. */
export interface Look {
  /** Since when the store may not have the hold any more, in ms, though its caller need not know it yet. */
  readonly lostAt: number | undefined;
}

/** A grant, as a caller knows it. */
export interface KnownGrant {
  readonly client: string;
  /** The first part of its names: it says what kind of lock it is. */
  readonly family: string;
  readonly keys: readonly string[];
  readonly side?: 'read' | 'write' | undefined;
  readonly room?: number | undefined;
  readonly places?: number | undefined;
  readonly holder: string;
  readonly token?: bigint | undefined;
  /** When the caller asked for it, in ms. */
  readonly since: number;
  /** The belief of the caller whose scope acquires again. */
  readonly outer?: object | undefined;
  /** Undefined: the caller does not believe in it, or its process is stopped or dead. */
  readonly look: () => Look | undefined;
}

/** The time of a run. */
interface RunClock {
  /** In ms. */
  readonly now: number;
  readonly events: number;
}

interface OpenHold extends KnownGrant {
  readonly owner: string;
  readonly call: number;
  /** Until now. */
  held: number | undefined;
  until: number;
  answered: number;
  lostFrom: number | undefined;
}

/** What each kind is for a judge; all others are mutexes. */
const JUDGED_AS: ReadonlyMap<string, LockKind> = new Map([
  ['fenced', 'fenced'],
  ['rw', 'read-write'],
]);

/**
 * Writes down what callers believe, for a judge of histories. Its instants are the numbers of events: no two acts have one, but those
 * of a single process, and `--trace` takes them.
 */
export class HoldHistory {
  readonly #holds = new Map<object, OpenHold>();
  readonly #open = new Set<OpenHold>();
  /** The moments of a run, and the first event of each. */
  readonly #moments: { readonly at: number; readonly event: number }[] = [];
  #clock: RunClock = { now: 0, events: 0 };
  /** Tokens up to then may be higher than those after it, in ms. */
  tokensFrom = -Infinity;

  follow(clock: RunClock): void {
    this.#clock = clock;
  }

  /** A caller was granted a lock. */
  begin(belief: object, grant: KnownGrant): void {
    const outer = grant.outer && this.#holds.get(grant.outer);
    const hold: OpenHold = {
      ...grant,
      // A process may hand a hold on, with its id: the next caller of it does not acquire again.
      owner: outer && isReentry(outer, grant) ? outer.owner : `${grant.holder}@${this.#holds.size}`,
      call: this.#eventAt(grant.since),
      held: undefined,
      until: -Infinity,
      answered: Infinity,
      lostFrom: undefined,
    };
    this.#holds.set(belief, hold);
    this.#open.add(hold);
    this.#lookAt(hold);
  }

  /** The release of a caller was answered. */
  answer(belief: object | undefined): void {
    const hold = belief && this.#holds.get(belief);
    if (hold !== undefined) hold.answered = this.#clock.events;
  }

  /** To be called after each event. */
  look(): void {
    const { now, events } = this.#clock;
    if ((this.#moments.at(-1)?.at ?? -Infinity) < now) this.#moments.push({ at: now, event: events });
    for (const hold of this.#open) {
      this.#lookAt(hold);
      if (hold.answered < Infinity) this.#open.delete(hold);
    }
  }

  /** A grant that was over when it came was believed in by no caller. */
  get records(): HoldRecord[] {
    return [...this.#holds.values()].flatMap((hold) =>
      hold.held === undefined ? [] : [this.#recordOf(hold, hold.held)],
    );
  }

  #lookAt(hold: OpenHold): void {
    const look = hold.look();
    if (look === undefined) return;
    const { events } = this.#clock;
    hold.held ??= events;
    hold.until = events;
    // A hold that outlasts the time in which it might be gone was not lost.
    hold.lostFrom = look.lostAt === undefined ? undefined : this.#eventAt(look.lostAt);
  }

  #recordOf(hold: OpenHold, held: number): HoldRecord {
    const { client, keys, owner, side, room, places, call, until, answered, lostFrom, token, since } = hold;
    return {
      client,
      kind: JUDGED_AS.get(hold.family) ?? 'mutex',
      keys,
      owner,
      side,
      room,
      places,
      call,
      held,
      until,
      answered,
      lostFrom,
      token: since > this.tokensFrom ? token?.toString() : undefined,
    };
  }

  /** The first event of a moment. */
  #eventAt(at: number): number {
    let [least, most] = [0, this.#moments.length];
    while (least < most) {
      const middle = (least + most) >> 1;
      if ((this.#moments[middle]?.at ?? Infinity) < at) least = middle + 1;
      else most = middle;
    }
    return this.#moments[least]?.event ?? this.#clock.events;
  }
}

/** The holder of a red lock consists of those of its members, some of which may be new. */
function isReentry(outer: KnownGrant, inner: KnownGrant): boolean {
  const holders = new Set(outer.holder.split(' '));
  return inner.holder.split(' ').some((holder) => holders.has(holder));
}
