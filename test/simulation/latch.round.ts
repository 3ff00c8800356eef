import type { CallingInstance } from './calling.instance.js';
import { RELEASED_WITHIN } from './stored.holds.js';

/** A call that lowers the count of a latch. */
export interface CountDown {
  readonly instance: CallingInstance;
  /** When its caller had the answer, or an error after which the library repeats it. Undefined: it may never be done. */
  settledAt: number | undefined;
  /** Whether the store has answered. */
  isConfirmed: boolean;
}

/** One latch, from its count to its opening. */
export class LatchRound {
  /** Whether the store has had its count. */
  wasMade = false;
  /** Whether the store has lost it, or its count was not set: the callers go on with the next one. */
  isLost = false;
  /** Since when it is open, after it was closed. */
  openSince: number | undefined;
  /** Calls that have begun before the store had a count: they may find the latch open. */
  readonly #early: CountDown[] = [];
  readonly #counted: CountDown[] = [];

  constructor(
    readonly name: string,
    readonly count: number,
  ) {}

  begin(instance: CallingInstance): CountDown {
    const countDown = { instance, settledAt: undefined, isConfirmed: false };
    (this.wasMade ? this.#counted : this.#early).push(countDown);
    return countDown;
  }

  /** The count that the store may have, at least and at most; 0 is open. */
  boundsAt(now: number): { readonly least: number; readonly most: number } {
    const begun = this.#early.length + this.#counted.length;
    const done = this.#counted.filter((countDown) => isDoneAt(countDown, now)).length;
    return { least: Math.max(0, this.count - begun), most: Math.max(0, this.count - done) };
  }
}

/** A call without an answer is repeated until the store has answered, as long as its process lives. */
function isDoneAt(countDown: CountDown, now: number): boolean {
  const { instance, settledAt } = countDown;
  if (countDown.isConfirmed) return true;
  if (settledAt === undefined || !instance.isLive || instance.isEnding) return false;
  countDown.isConfirmed = now > Math.max(settledAt, instance.calmSince) + RELEASED_WITHIN;
  return countDown.isConfirmed;
}
