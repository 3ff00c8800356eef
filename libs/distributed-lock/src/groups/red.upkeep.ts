import { now } from '../timing/monotonic.clock.js';
import type { Timer, TimerWheel } from '../timing/timer.wheel.js';

/** A hold that is kept complete. */
export interface Upheld {
  /** Whether it is released or lost. */
  readonly isOver: boolean;
  /** Requests the lock on the servers that do not have it. */
  complete(): void;
}

/** The first pause before a check, in ms. It doubles after each check: a server that refuses is soon asked no more often than by renewals. */
const FIRST_PAUSE = 200;

/** The checks of all holds are at multiples of this, in ms, so that their requests travel together. */
const STEP = 100;

/**
 * Completes red locks that are held: servers that were away when a lock was granted, or that forgot it when they started, get
 * a request for it as soon as they count. So a hold is not worn away by one server after the other.
 */
export class RedUpkeep {
  readonly #timers = new Map<Upheld, Timer>();
  #over = false;

  constructor(
    private readonly wheel: TimerWheel,
    /** The longest pause between two checks of a hold, in ms. */
    private readonly longest: number,
  ) {}

  add(held: Upheld, pause = FIRST_PAUSE): void {
    if (this.#over) return;
    const at = Math.ceil((now() + Math.min(pause, this.longest)) / STEP) * STEP;
    const check = () => {
      this.remove(held);
      if (held.isOver) return;
      held.complete();
      this.add(held, pause * 2);
    };
    this.#timers.set(held, this.wheel.at(at, check));
  }

  remove(held: Upheld): void {
    this.wheel.cancel(this.#timers.get(held));
    this.#timers.delete(held);
  }

  /** From now on no hold is completed. */
  end(): void {
    this.#over = true;
    for (const held of this.#timers.keys()) this.remove(held);
  }
}
