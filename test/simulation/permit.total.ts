import type { CallingInstance } from './calling.instance.js';
import { RELEASED_WITHIN } from './stored.holds.js';

/** A call that changes how many permits there are. */
export interface Resize {
  readonly instance: CallingInstance;
  readonly to: number;
  /** Whether the library repeats it until the store has answered. */
  readonly isRepeated: boolean;
  isAnswered: boolean;
  /** When its caller had the answer, or an error. */
  settledAt: number | undefined;
}

/** How many permits a semaphore is to have in all. One call at a time changes it, which the store may or may not have done. */
export class PermitTotal {
  current: number;
  #resize: Resize | undefined;
  /** Whether the store may have an older number, or none. */
  #isLost = false;
  readonly #past: Set<number>;

  constructor(readonly initial: number) {
    this.current = initial;
    this.#past = new Set([initial]);
  }

  /** The most that there ever were: where they become fewer, all that are taken stay taken. */
  get most(): number {
    return Math.max(...this.#past);
  }

  get isChanging(): boolean {
    return this.#resize !== undefined;
  }

  begin(instance: CallingInstance, to: number, isRepeated: boolean): Resize {
    this.#resize = { instance, to, isRepeated, isAnswered: false, settledAt: undefined };
    this.#past.add(to);
    return this.#resize;
  }

  lost(): void {
    this.#isLost = true;
  }

  /** Whether the store may have so many permits now. @param stored undefined: it has no semaphore */
  allows(stored: number | undefined, now: number): boolean {
    const resize = this.#resize;
    const isOver = resize !== undefined && isOverAt(resize, now);
    if (isOver) this.#resize = undefined;
    if (this.#isLost) {
      if (this.#resize !== undefined) return true;
      this.#isLost = false;
      this.current = stored ?? this.initial;
      // A call that comes late makes a semaphore anew.
      return isOver || this.#past.has(this.current);
    }
    if (isOver) {
      const { isAnswered, isRepeated, instance, to } = resize;
      if (isAnswered || (isRepeated && instance.isLive) || stored === to) this.current = to;
    }
    return stored === undefined || stored === this.current || stored === this.#resize?.to;
  }
}

function isOverAt({ isAnswered, settledAt, instance }: Resize, now: number): boolean {
  if (isAnswered) return true;
  if (!instance.isLive) return now > instance.endedAt + RELEASED_WITHIN;
  if (settledAt === undefined || instance.isEnding) return false;
  return now > Math.max(settledAt, instance.calmSince) + RELEASED_WITHIN;
}
