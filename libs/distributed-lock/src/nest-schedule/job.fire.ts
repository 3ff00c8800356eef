import type { GuardEntry } from '../metadata/guard.registry.js';
import {
  outsideFires,
  type FireProof,
  type OpenFire,
  type ScheduledTick,
} from '../metadata/schedule.fires.js';

/** The scheduled method that a fire calls. */
export interface FireHost {
  readonly guard: GuardEntry;
  /** Whether a call of the guard on that instance may be a fire of this host. */
  accepts(instance: object): boolean;
  /** Whether calls of this method are known to keep their async context on the way to the guard. */
  readonly keepsContext: boolean;
  taken(fire: JobFire, proof: FireProof): void;
}

/**
 * `fresh`: its callback is on the stack. `open`: the callback has left the stack, and the guarded method was not called. `lapsed`: the time
 * for that is over. `taken`: the call has come. `guessed`: a call has come that only the order of events ties to it. `over`: no call is
 * expected any more.
 */
type State = 'fresh' | 'open' | 'lapsed' | 'taken' | 'guessed' | 'over';

/** One fire of a method's job, from the scheduler's callback to the call of the guard. */
export class JobFire implements OpenFire {
  state: State = 'fresh';
  readonly #call: ScheduledTick;
  #decide: (() => void) | undefined;
  #release: (() => void) | undefined;

  /** @param tick the tick that the call runs */
  constructor(
    private readonly host: FireHost,
    tick: ScheduledTick,
  ) {
    this.#call = {
      run: (work) =>
        tick.run((lock) => {
          // An aborted run is not awaited: its schedule goes on.
          if (this.#release !== undefined)
            lock?.signal.addEventListener('abort', this.#release, { once: true });
          return outsideFires(() => work(lock));
        }),
    };
  }

  get isTaken(): boolean {
    return this.state === 'taken' || this.state === 'guessed' || this.state === 'over';
  }

  tickOf(guard: GuardEntry, instance: object): ScheduledTick | undefined {
    return guard === this.host.guard && this.host.accepts(instance) ? this.#call : undefined;
  }

  taken(proof: FireProof): void {
    this.state = proof === 'guess' ? 'guessed' : 'taken';
    this.host.taken(this, proof);
    this.#decide?.();
  }

  guess(instance: object): ScheduledTick | 'unclear' | undefined {
    // The calls of a method that keeps its context come in that context, and any other call is direct.
    if (this.host.keepsContext || !this.host.accepts(instance)) return undefined;
    if (this.state !== 'open') return 'unclear';
    this.taken('guess');
    return this.#call;
  }

  /** The time for its call is over. */
  lapse(): void {
    this.state = 'lapsed';
    this.#decide?.();
  }

  /** Settles when the call has come, or does not come any more. */
  decided(): Promise<void> {
    if (this.isTaken || this.state === 'lapsed') return Promise.resolve();
    return new Promise((resolve) => {
      this.#decide = resolve;
    });
  }

  /** Settles with the callback, or before it when the run's signal aborts. Call it before the callback. */
  aborted(): Promise<void> {
    return new Promise((resolve) => {
      this.#release = resolve;
    });
  }
}
