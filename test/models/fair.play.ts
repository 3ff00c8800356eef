import { lockChannel } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { FairActions, fairKeysOf, type Action } from './fair.actions.js';
import { GRAIN, type Holder, type Move } from './fair.moves.js';
import type { FairKeys, FairState } from './fair.state.js';
import type { ModelStore } from './model.store.js';
import { rounded, type Snapshot } from './store.dump.js';

/** What came of a move, as far as the store and the model can be compared. */
export interface Outcome {
  readonly reply: unknown;
  readonly messages: readonly string[];
  readonly after: Snapshot;
}

/** One move, what was before, and what came of it. */
export interface Played {
  readonly by: Action['by'];
  /** Who made it, where it was a holder. */
  readonly who: string | undefined;
  readonly before: Snapshot;
  readonly found: Outcome;
  readonly expected: Outcome;
}

/** Makes moves in the store and in the model. */
export class FairPlay {
  readonly keys: FairKeys;
  readonly #actions: FairActions;
  readonly #channel: string;
  #before: Snapshot = {};

  constructor(
    private readonly store: ModelStore,
    lock: string,
  ) {
    this.keys = fairKeysOf(lock);
    this.#actions = new FairActions(lock);
    this.#channel = lockChannel(lock);
  }

  get state(): FairState {
    return this.#actions.state;
  }

  /** @returns undefined for a move that nobody is there to make */
  async make(move: Move): Promise<Played | undefined> {
    this.state.told = [];
    if (move.do === 'pass') {
      const { after } = await this.store.advance(move.ms, GRAIN);
      this.state.advance(move.ms, GRAIN);
      return this.#played('nobody', undefined, { reply: undefined, messages: [], after }, undefined);
    }
    const who = 'who' in move ? this.#named(move.who) : undefined;
    if ('who' in move && who === undefined) return undefined;
    const action = this.#actions.of(move, who ?? 'node-a:1');
    const { reply, messages, after } = await this.store.run(action.script, action.keys, action.args);
    // A batch of one operation answers one row.
    const row: unknown = Array.isArray(reply) && typeof action.script !== 'string' ? reply[0] : reply;
    return this.#played(action.by, who, { reply: row, messages, after }, action.inModel());
  }

  #played(by: Action['by'], who: string | undefined, found: Outcome, reply: unknown): Played {
    const messages = this.state.told.map((text) => `${this.#channel}:${text}`);
    const expected = { reply, messages, after: this.state.snapshot(this.keys) };
    const played = { by, who, before: this.#before, found: coarse(found), expected: coarse(expected) };
    this.#before = played.found.after;
    return played;
  }

  #named(who: Holder | 'owner' | 'head'): Holder | undefined {
    const name = who === 'owner' ? this.state.holder : who === 'head' ? this.state.head : who;
    return name as Holder | undefined;
  }
}

function coarse({ reply, messages, after }: Outcome): Outcome {
  // A number alone is what Java waits for: how far below 0 that is is nobody's concern (D4).
  const told = typeof reply === 'number' ? Math.max(reply, 0) : reply;
  return { reply: coarseReply(told), messages, after: rounded(after, GRAIN) };
}

/** Counts are far below a second, times far above. */
function coarseReply(reply: unknown): unknown {
  if (Array.isArray(reply)) return reply.map(coarseReply);
  return typeof reply === 'number' && reply > 1000 ? Math.round(reply / GRAIN) * GRAIN : reply;
}
