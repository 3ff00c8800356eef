import type { LockContext } from '../core/lock.context.js';
import type { Waiting } from '../ticks/tick.scripts.js';
import type { Timer } from '../timing/timer.wheel.js';
import type { Subscription } from '../redis/channel.subscriptions.js';
import { machine } from '../timing/machine.js';

/** Instances that wait for one thing claim within this time, each at a moment of its own, in ms. */
const JITTER = 200;
/** The same when a lease has ended: a run is begun again within 100 ms of it. */
const LEASE_JITTER = 80;
/** The same after a message that a lock is free: the first instance takes the tick. */
const SHORT_JITTER = 20;
/** The sleep where a lock has no end of its own, in ms. */
const RECHECK = 30_000;
/** The longest pause between claims while no message of the job arrives, in ms: less than the grace of a run that was handed over. */
const DEAF = 3000;
/** The pause after Redis could not be reached, in ms: each claim is repeated for seconds. */
const UNANSWERED = 1000;

/** The channels that concern a job. */
export interface JobChannels {
  /** The channel of its lock: a message when the lock is free. */
  readonly lock: string;
  /** The channel of the job: a message when a run waits in Redis. */
  readonly job: string;
}

/** Claims the waiting runs of one job when there is reason to, and without the job's channel now and then. */
export class JobWatch {
  #job: Subscription | undefined;
  #lock: Subscription | undefined;
  #timer: Timer | undefined;
  #deafTimer: Timer | undefined;
  /** Whether a message gave reason to claim, and no claim was sent since: older answers do not cover it. */
  #isDue = false;
  /** Whether there was reason to claim, and no answer since. */
  #isUnanswered = false;
  #isResting = false;
  #isClosed = false;

  /**
   * @param claimWaiting claims from the store
   * @param returned called when messages may have been missed: Redis was away
   */
  constructor(
    private readonly context: Pick<LockContext, 'isConnected' | 'outside' | 'subscriptions' | 'wheel'>,
    private readonly channels: JobChannels,
    private readonly claimWaiting: () => void,
    private readonly returned: () => void,
  ) {}

  /** Subscribes to the job's channel. */
  open(): void {
    if (this.#isClosed || this.#job !== undefined) return;
    const receive = (text: string | undefined) => {
      if (text === undefined) this.#due(JITTER, this.returned);
      else if (text === 'look') this.claimSoon();
    };
    this.#job = this.context.subscriptions.subscribe(this.channels.job, receive, this.#whileDeaf);
    void this.#job.acknowledged.then(this.#whileDeaf);
  }

  close(): void {
    this.#isClosed = true;
    this.#job?.release();
    this.#job = undefined;
    this.context.wheel.cancel(this.#deafTimer);
    this.#forget();
  }

  /** Whether no claims are sent: the job's timer was stopped on this instance. */
  rest(isResting: boolean): void {
    this.#isResting = isResting;
    if (isResting) this.#forget();
  }

  /** The store has answered. @param waiting undefined: the store could not be reached */
  answered(waiting: Waiting | undefined): void {
    if (waiting === undefined) {
      if (this.#lock !== undefined || this.#isUnanswered)
        this.#in(UNANSWERED + machine.global.Math.random() * JITTER, this.claimWaiting);
      return;
    }
    if (this.#isDue) return;
    this.#isUnanswered = false;
    const { wait, listens } = waiting;
    this.#forgetTimer();
    if (listens && wait !== 0) this.#listen();
    else this.#leave();
    if (wait > 0) this.#in(wait + 1 + machine.global.Math.random() * LEASE_JITTER, this.claimWaiting);
    else if (wait < 0) this.#in(RECHECK + machine.global.Math.random() * JITTER, this.claimWaiting);
    else if (listens) this.#in(machine.global.Math.random() * SHORT_JITTER, this.claimWaiting);
  }

  /** A claim without an answer can have no effect any more: what Redis may have queued meanwhile waits for a claim. */
  unanswered(): void {
    if (this.#timer === undefined) this.#in(machine.global.Math.random() * JITTER, this.claimWaiting);
  }

  /** No message says what waits. Where claims cannot be sent either, `returned` is called afterwards. */
  readonly #whileDeaf = (): void => {
    if (!this.#isDeaf || this.#deafTimer !== undefined) return;
    const { context } = this;
    this.#deafTimer = context.wheel.after(DEAF * (1 - machine.global.Math.random() / 4), () => {
      this.#deafTimer = undefined;
      if (this.#isDeaf && context.isConnected) context.outside(this.claimWaiting);
      this.#whileDeaf();
    });
  };

  get #isDeaf(): boolean {
    return this.#job?.isActive === false;
  }

  #listen(): void {
    if (this.#isClosed || this.#isResting || this.#lock !== undefined) return;
    const lock = this.context.subscriptions.subscribe(this.channels.lock, () => this.claimSoon());
    this.#lock = lock;
    // The lock may have been freed before the subscription was active.
    void lock.acknowledged.then(() => {
      if (this.#lock === lock && lock.isActive) this.claimSoon();
    });
  }

  /** Claims what waits soon, and again until the store has answered. */
  claimSoon(): void {
    if (!this.#isDue) this.#due(SHORT_JITTER, this.claimWaiting);
  }

  /** Claims within `jitter` ms, whatever older answers say. */
  #due(jitter: number, ask: () => void): void {
    this.#in(machine.global.Math.random() * jitter, ask);
    this.#isDue = this.#timer !== undefined;
  }

  #in(delay: number, ask: () => void): void {
    this.#forgetTimer();
    if (this.#isClosed || this.#isResting) return;
    this.#timer = this.context.wheel.after(delay, () => {
      this.#timer = undefined;
      this.#isDue = false;
      this.#isUnanswered = true;
      this.context.outside(ask);
    });
  }

  #forget(): void {
    this.#forgetTimer();
    this.#leave();
  }

  #leave(): void {
    this.#lock?.release();
    this.#lock = undefined;
  }

  #forgetTimer(): void {
    this.context.wheel.cancel(this.#timer);
    this.#timer = undefined;
    this.#isDue = false;
  }
}
