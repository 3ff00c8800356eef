import type { UnlockOutcome } from '../contracts/lock.contract.js';
import { LockNotAcquiredError, type HeldBy } from '../errors/lock.errors.js';
import { now } from '../timing/monotonic.clock.js';
import type { HandleWatch, Watchable } from './handle.watch.js';
import type { LockEvents } from './lock.events.js';
import type { LockKindName, ReleasedEvent } from './lock.event.types.js';

/** The terms of the acquisition. */
export interface Requested {
  readonly lock: string;
  readonly kind: LockKindName;
  readonly isReentry: boolean;
}

/** The known properties of a grant. */
type GrantDetails = Partial<Pick<Watchable, 'holder' | 'token'>>;

/**
 * Emits the events of one acquisition: one `attempt`, one answer, and one end of the hold. Created only where there are listeners. Events are
 * written out in full: to spread one object into another costs more than all the rest.
 */
export class AcquisitionWatch implements HandleWatch {
  readonly #events: LockEvents;
  readonly #requested: Requested;
  readonly #since = now();
  #holder: string | undefined;
  #grantedAt = 0;
  #isWaiting = false;
  #isOver = false;

  /** Emits the attempt, in the caller's async context. */
  constructor(events: LockEvents, requested: Requested) {
    this.#events = events;
    this.#requested = requested;
    const { lock, kind, isReentry } = requested;
    events.emit('attempt', { acquisition: this, lock, kind, isReentry });
  }

  /** Emits the answer, and follows the handle that is granted. */
  follow<H extends Watchable>(answer: Promise<H>): Promise<H> {
    return this.settle(answer, (handle) => {
      this.acquired(handle);
      handle.watch(this);
    });
  }

  /** Emits an answer that is an error. @param acquired emits a grant */
  settle<T>(answer: Promise<T>, acquired: (granted: T) => void): Promise<T> {
    return answer.then(
      (granted) => {
        acquired(granted);
        return granted;
      },
      (error: unknown) => {
        this.#ended(error);
        throw error;
      },
    );
  }

  /** Another holder has the lock. Emitted once. */
  waiting(heldBy: HeldBy): void {
    if (this.#isWaiting || this.#grantedAt !== 0) return;
    this.#isWaiting = true;
    const { lock, kind, isReentry } = this.#requested;
    this.#events.emit('waiting', { acquisition: this, lock, kind, isReentry, heldBy });
  }

  acquired({ holder, token }: GrantDetails, hasEnd = true): void {
    this.#holder = holder;
    this.#grantedAt = now();
    const waited = this.#grantedAt - this.#since;
    const { lock, kind, isReentry } = this.#requested;
    const event = { acquisition: this, lock, kind, isReentry, holder, token, waited, hasEnd };
    this.#events.emit('acquired', event);
  }

  lost(why: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { lock, kind, isReentry } = this.#requested;
    const [holder, held] = [this.#holder, now() - this.#grantedAt];
    this.#events.emit('lost', { acquisition: this, lock, kind, isReentry, holder, held, why });
  }

  unlocking(outcome: Promise<UnlockOutcome>): void {
    outcome.then(
      (what) => {
        if (what === 'lost') this.lost('its lease had ended before it was unlocked');
        else this.#released(what);
      },
      () => this.#released('unconfirmed'),
    );
  }

  around<T>(work: () => T): T {
    return this.#events.around(this, work);
  }

  #released(outcome: ReleasedEvent['outcome']): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { lock, kind, isReentry } = this.#requested;
    const [holder, held] = [this.#holder, now() - this.#grantedAt];
    this.#events.emit('released', { acquisition: this, lock, kind, isReentry, holder, held, outcome });
  }

  #ended(error: unknown): void {
    const waited = now() - this.#since;
    const { lock, kind, isReentry } = this.#requested;
    const refusal = { acquisition: this, lock, kind, isReentry, waited };
    if (error instanceof LockNotAcquiredError)
      this.#events.emit('refused', { ...refusal, heldBy: error.heldBy });
    else this.#events.emit('failed', { ...refusal, error });
  }
}
