import type { UnlockOutcome } from '../contracts/lock.contract.js';
import { LockNotAcquiredError, type HeldBy } from '../errors/lock.errors.js';
import { now } from '../timing/monotonic.clock.js';
import type { HandleWatch, Watchable } from './handle.watch.js';
import type { LockEvents } from './lock.events.js';
import type { LockKindName, ReleasedEvent } from './lock.listener.js';

/** What is asked for. */
export interface Asked {
  readonly lock: string;
  readonly kind: LockKindName;
  readonly isReentry: boolean;
}

/** What is known of a grant. */
type Granted = Partial<Pick<Watchable, 'holder' | 'token'>>;

/**
 * Tells listeners of one acquisition: one `attempt`, one answer, and one end of what was acquired. It is made only where anybody
 * listens. Events are written out in full: to spread one object into another costs more than all the rest.
 */
export class AcquisitionWatch implements HandleWatch {
  readonly #events: LockEvents;
  readonly #asked: Asked;
  readonly #since = now();
  #holder: string | undefined;
  #grantedAt = 0;
  #isWaiting = false;
  #isOver = false;

  /** Tells of the attempt, in the caller's async context. */
  constructor(events: LockEvents, asked: Asked) {
    this.#events = events;
    this.#asked = asked;
    const { lock, kind, isReentry } = asked;
    events.tell('attempt', { acquisition: this, lock, kind, isReentry });
  }

  /** Tells what comes of it, and follows the handle that is granted. */
  follow<H extends Watchable>(answer: Promise<H>): Promise<H> {
    return this.settle(answer, (handle) => {
      this.acquired(handle);
      handle.watch(this);
    });
  }

  /** Tells of an answer that is an error. @param acquired tells of one that is none */
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

  /** Somebody else has it. Told once. */
  waiting(heldBy: HeldBy): void {
    if (this.#isWaiting || this.#grantedAt !== 0) return;
    this.#isWaiting = true;
    const { lock, kind, isReentry } = this.#asked;
    this.#events.tell('waiting', { acquisition: this, lock, kind, isReentry, heldBy });
  }

  acquired({ holder, token }: Granted, hasEnd = true): void {
    this.#holder = holder;
    this.#grantedAt = now();
    const waited = this.#grantedAt - this.#since;
    const { lock, kind, isReentry } = this.#asked;
    const event = { acquisition: this, lock, kind, isReentry, holder, token, waited, hasEnd };
    this.#events.tell('acquired', event);
  }

  lost(why: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { lock, kind, isReentry } = this.#asked;
    const [holder, held] = [this.#holder, now() - this.#grantedAt];
    this.#events.tell('lost', { acquisition: this, lock, kind, isReentry, holder, held, why });
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
    const { lock, kind, isReentry } = this.#asked;
    const [holder, held] = [this.#holder, now() - this.#grantedAt];
    this.#events.tell('released', { acquisition: this, lock, kind, isReentry, holder, held, outcome });
  }

  #ended(error: unknown): void {
    const waited = now() - this.#since;
    const { lock, kind, isReentry } = this.#asked;
    const told = { acquisition: this, lock, kind, isReentry, waited };
    if (error instanceof LockNotAcquiredError)
      this.#events.tell('refused', { ...told, heldBy: error.heldBy });
    else this.#events.tell('failed', { ...told, error });
  }
}
