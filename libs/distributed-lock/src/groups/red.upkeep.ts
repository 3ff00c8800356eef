import type { Timer, TimerWheel } from '../timing/timer.wheel.js';

/** A hold that is kept complete. */
export interface Upheld {
  readonly isHeld: boolean;
  /** Requests the lock on the servers that do not have it. */
  complete(): void;
}

/**
 * Completes red locks that are held: servers that were away when a lock was granted, or that forgot it when they started, get
 * a request for it as soon as they count. So a hold is not worn away by one server after the other.
 */
export class RedUpkeep {
  readonly #held = new Set<Upheld>();
  #timer: Timer | undefined;
  #over = false;

  constructor(
    private readonly wheel: TimerWheel,
    /** The interval of the checks, in ms. */
    private readonly period: number,
  ) {}

  add(held: Upheld): void {
    if (this.#over) return;
    this.#held.add(held);
    this.#timer ??= this.wheel.after(this.period, () => this.#check());
  }

  remove(held: Upheld): void {
    this.#held.delete(held);
    if (this.#held.size > 0) return;
    this.wheel.cancel(this.#timer);
    this.#timer = undefined;
  }

  /** From now on no hold is completed. */
  end(): void {
    this.#over = true;
    for (const held of this.#held) this.remove(held);
  }

  #check(): void {
    this.#timer = undefined;
    for (const held of this.#held) {
      if (held.isHeld) held.complete();
      else this.#held.delete(held);
    }
    if (this.#held.size > 0) this.#timer = this.wheel.after(this.period, () => this.#check());
  }
}
