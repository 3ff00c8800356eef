import type { UnlockOutcome } from '../contracts/lock.contract.js';
import type { HandleWatch } from '../events/handle.watch.js';
import type { RunEnd, RunListener, RunOfTick } from './run.listener.js';

/** Follows the handle of a run for the listener of its claim, beside the watch that emits its events. */
export class RunWatch implements HandleWatch {
  #ended: ((end: RunEnd) => void) | undefined;

  /** @param endOf how the run ends now */
  constructor(
    private readonly listener: RunListener,
    private readonly events: HandleWatch | undefined,
    private readonly endOf: (isLost: boolean) => RunEnd,
  ) {}

  begin(run: RunOfTick): void {
    this.#ended = this.listener.began(run);
  }

  lost(why: string): void {
    this.events?.lost(why);
    this.#end(this.endOf(true));
  }

  unlocking(unlocked: Promise<UnlockOutcome>): void {
    this.events?.unlocking(unlocked);
    // A shutdown may give the storage up meanwhile; the outcome that was sent stands.
    const end = this.endOf(false);
    unlocked.then(
      (outcome) => this.#end(outcome === 'lost' ? this.endOf(true) : end),
      () => this.#end(end),
    );
  }

  around<T>(work: () => T): T {
    return this.events === undefined ? work() : this.events.around(work);
  }

  #end(end: RunEnd): void {
    const ended = this.#ended;
    this.#ended = undefined;
    ended?.(end);
  }
}
