import type { UnlockOutcome } from '../contracts/lock.contract.js';
import { now } from '../timing/monotonic.clock.js';
import type { HandleWatch } from '../events/handle.watch.js';
import type { LockEvents } from '../events/lock.events.js';
import type { TickClaimedEvent, TickFinishedEvent } from '../events/lock.event.types.js';

/** Emits the events of one run of a tick: that it was claimed, and how it ended. Created only where there are listeners. */
export class TickWatch implements HandleWatch {
  readonly #events: LockEvents;
  readonly #event: TickClaimedEvent;
  readonly #outcome: (isLost: boolean) => TickFinishedEvent['outcome'];
  readonly #since = now();
  #isOver = false;

  /** @param outcome how the run ended; read when its lock is being unlocked, or is lost */
  constructor(
    events: LockEvents,
    claimed: Omit<TickClaimedEvent, 'acquisition'>,
    outcome: (isLost: boolean) => TickFinishedEvent['outcome'],
  ) {
    this.#events = events;
    this.#event = { acquisition: this, ...claimed };
    this.#outcome = outcome;
    events.emit('tickClaimed', this.#event);
  }

  lost(): void {
    this.#finish(this.#outcome(true));
  }

  unlocking(unlocked: Promise<UnlockOutcome>): void {
    const outcome = this.#outcome(false);
    unlocked.then(
      (unlock) => this.#finish(unlock === 'lost' ? 'lost' : outcome),
      () => this.#finish(outcome),
    );
  }

  around<T>(work: () => T): T {
    return this.#events.around(this, work);
  }

  #finish(outcome: TickFinishedEvent['outcome']): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#events.emit('tickFinished', { ...this.#event, held: now() - this.#since, outcome });
  }
}
