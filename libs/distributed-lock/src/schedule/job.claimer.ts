import { LockUnavailableError } from '../errors/lock.errors.js';
import type { TickAnswer, TickClaim } from '../locks/tick.claim.js';
import type { TickRunner } from '../locks/tick.runner.js';
import type { StoreClock } from '../timing/store.clock.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import type { JobClaims } from './job.claimer.port.js';
import { JobRegistration, type JobIdentity } from './job.registration.js';
import type { ScheduledMethod } from './scheduled.method.js';
import type { TickJournal } from './tick.journal.js';

/** Makes the claimer of a method's job. */
export type ClaimerFactory = (method: ScheduledMethod, identity: Omit<JobIdentity, 'job'>) => JobClaimer;

/** Asks for the ticks of one job. Never throws because a tick is not to be run: the journal tells why. */
export class JobClaimer implements JobClaims {
  readonly #registration: JobRegistration;
  #isClosed = false;

  constructor(
    private readonly runner: TickRunner,
    private readonly journal: TickJournal,
    private readonly identity: JobIdentity,
    /** The longest that a run may last, in ms; undefined: the module's. */
    private readonly maxHold: number | undefined,
  ) {
    this.#registration = new JobRegistration(runner, identity);
  }

  get clock(): StoreClock {
    return this.runner.clock;
  }

  get wheel(): TimerWheel {
    return this.runner.engine.context.wheel;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Registers the job in the background. */
  open(): void {
    this.#registration.begin();
  }

  /** No tick is asked for any more. */
  close(): void {
    this.#isClosed = true;
    this.#registration.cancel();
  }

  async ready(): Promise<boolean> {
    return (await this.#quietly(() => this.#registration.done().then(() => true))) ?? false;
  }

  async ask(claim: TickClaim): Promise<TickAnswer | undefined> {
    const { job } = this.identity;
    const answer = await this.#quietly(() => this.runner.claim(job, { maxHold: this.maxHold, ...claim }));
    if (answer !== undefined && answer.kind !== 'granted' && answer.kind !== 'refused')
      this.journal.refused(job, claim.tick, answer.kind, claim.mode === 'close');
    return answer;
  }

  checkClocks(settled = -Infinity): void {
    this.journal.checkClocks(this.identity.job, settled);
  }

  async #quietly<T>(call: () => Promise<T>): Promise<T | undefined> {
    if (this.#isClosed) return undefined;
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof LockUnavailableError)) throw error;
      if (!this.#isClosed) this.journal.unclaimed(this.identity.job, error);
      return undefined;
    }
  }
}
