import { now } from '../timing/monotonic.clock.js';
import type { Timer, TimerWheel } from '../timing/timer.wheel.js';

/** How long a process that was notified of its turn may take to come, in ms. */
const COMES_WITHIN = 30;

/** How often in a row it waits anew because its own process was late: one that always is must look after the other one, too. */
const MOST_DELAYS = 3;

/** From then on the time after a failure is no longer doubled: it is a second. */
const MOST_FAILURES = 5;

/** Checks that the process that was notified of its turn comes: it may be stopped, or dead without a word. */
export class CallGuard {
  readonly #timer: Timer;
  #place = '';
  #due = 0;
  #round = 0;
  #requestRound = 0;
  /** In a row. */
  #delays = 0;
  /** In a row. */
  #failures = 0;

  /** @param onAbsent receives the place of the process that did not come; empty where its name is not known */
  constructor(
    private readonly wheel: TimerWheel,
    onAbsent: (place: string) => void,
  ) {
    this.#timer = wheel.background(() => {
      // A process that is late itself cannot say that the other one is.
      if (now() - this.#due > COMES_WITHIN / 2 && this.#delays < MOST_DELAYS) {
        this.#delays += 1;
        this.#set(this.#place, COMES_WITHIN);
      } else onAbsent(this.#place);
    });
  }

  get isSet(): boolean {
    return this.#timer.isSet;
  }

  /** Another one for each place that it was given to watch. */
  get round(): number {
    return this.#round;
  }

  /** A request is sent that will say whether the lock is held. */
  request(): void {
    this.#requestRound = this.#round;
  }

  /** The {@link round} of the last {@link request}. */
  get requestRound(): number {
    return this.#requestRound;
  }

  /** @param place empty for one whose name is not known. One that is watched already has the time that it has left */
  watch(place: string): void {
    this.#round += 1;
    if (this.isSet && (place === '' || place === this.#place)) return;
    this.#failures = 0;
    this.#delays = 0;
    this.#set(place, COMES_WITHIN);
  }

  /** What it does then has failed: later each time. */
  tryAgain(place: string): void {
    this.#set(place, COMES_WITHIN * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, MOST_FAILURES);
  }

  /**
   * The process has come: the lock is held.
   * @param round the {@link round} in which that was asked: what is watched since is the matter of a later release. @default this one
   */
  stop(round = this.#round): void {
    if (round !== this.#round) return;
    this.#failures = 0;
    this.wheel.cancel(this.#timer);
  }

  #set(place: string, within: number): void {
    this.#place = place;
    this.#due = now() + within;
    this.wheel.set(this.#timer, this.#due);
  }
}
