import type { HoldRecord } from '../histories/hold.record.js';
import type { LockKind } from '../histories/operation.js';

/** What a look at a caller finds that believes in its lock. */
export interface Look {
  /** Since when the store may not have the hold any more, in ms, though its caller need not know it yet. */
  readonly lostAt: number | undefined;
}

/** A belief of a caller on any topology. */
export interface NotedBelief {
  readonly instance: { readonly name: string };
  readonly key: string;
  /** How its holder shares a read/write lock. */
  readonly sharing?: string;
  readonly handle: { readonly holder: string; readonly token?: bigint | undefined };
}

/** What a belief does not say of its grant. */
export interface KnownGrant {
  /** The first part of its names: it says what kind of lock it is. */
  readonly family: string;
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
  readonly belief: NotedBelief;
  /** That of the grant: a red lock may get new members, and a re-entry a new token. */
  readonly holder: string;
  readonly token: bigint | undefined;
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
  begin(belief: NotedBelief, grant: KnownGrant): void {
    const outer = grant.outer && this.#holds.get(grant.outer);
    const { holder, token } = belief.handle;
    const hold: OpenHold = {
      ...grant,
      belief,
      holder,
      token,
      // A process may hand a hold on, with its id: the next caller of it does not acquire again.
      owner: outer && isReentry(outer.holder, holder) ? outer.owner : `${holder}@${this.#holds.size}`,
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
    const { belief, family, owner, call, until, answered, lostFrom, token, since } = hold;
    return {
      client: belief.instance.name,
      kind: JUDGED_AS.get(family) ?? 'mutex',
      keys: [belief.key],
      owner,
      side: family === 'rw' ? sideOf(belief) : undefined,
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

function sideOf({ sharing }: NotedBelief): 'read' | 'write' {
  return sharing === 'with readers' ? 'read' : 'write';
}

/** The holder of a red lock consists of those of its members, some of which may be new. */
function isReentry(outer: string, inner: string): boolean {
  const holders = new Set(outer.split(' '));
  return inner.split(' ').some((holder) => holders.has(holder));
}
