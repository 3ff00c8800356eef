import { now } from '../timing/monotonic.clock.js';
import type { Timer, TimerWheel } from '../timing/timer.wheel.js';

/** How long a place stays after its process neither waits for the lock nor holds it, in ms: most come back. */
export const LINGER = 100;

/** The place that lingers. */
export interface LingerOwner {
  /** Whether a caller of this process acquires the lock or waits for it, or work on it is under way. */
  readonly isWaitedFor: boolean;
  /** Whether it looks after a process that was notified of its turn. */
  readonly isGuarding: boolean;
  end(): Promise<void>;
}

/**
 * - `busy`: its process waits for the lock, holds it, or has not used it yet
 * - `quiet`: it rests, and no other process was in the way since it began to
 * - `contended`: it rests, and another process was
 * - `due`: it rested for long enough, but a caller of its process acquired the lock just then: it ends when it rests next
 * - `over`: it has ended
 */
type State = 'busy' | 'quiet' | 'contended' | 'due' | 'over';

/** Ends a place once no other process was in its way for {@link LINGER}, and no caller of its own process needs it. */
export class LingerTimer {
  readonly #timer: Timer;
  #state: State = 'busy';

  constructor(
    private readonly wheel: TimerWheel,
    private readonly place: LingerOwner,
  ) {
    this.#timer = wheel.background(() => this.#onTime());
  }

  /** Its process neither waits for the lock nor holds it, for now. */
  rest(): void {
    if (this.#state === 'due' && !this.place.isGuarding) void this.place.end();
    else if (!this.#isResting) this.#begin('quiet');
  }

  /** Another process was in the way. */
  contended(): void {
    if (this.#state === 'quiet') this.#state = 'contended';
    else if (this.#state === 'due') this.#state = 'busy';
  }

  /** A release of its process has let another one go first, which is to be looked after. */
  passed(): void {
    if (this.#isResting) this.contended();
    else this.#begin('contended');
  }

  end(): void {
    this.#state = 'over';
    this.wheel.cancel(this.#timer);
  }

  get #isResting(): boolean {
    return this.#state === 'quiet' || this.#state === 'contended';
  }

  #begin(state: 'quiet' | 'contended'): void {
    if (this.#state === 'over') return;
    this.#state = state;
    this.wheel.set(this.#timer, now() + LINGER);
  }

  #onTime(): void {
    const wasContended = this.#state === 'contended';
    if (this.place.isWaitedFor) this.#state = wasContended ? 'busy' : 'due';
    else if (wasContended || this.place.isGuarding) this.#begin('quiet');
    else void this.place.end();
  }
}
