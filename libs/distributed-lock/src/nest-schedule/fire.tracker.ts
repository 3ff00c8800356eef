import {
  closeFire,
  holdOpen,
  markFire,
  type FireProof,
  type ScheduledTick,
} from '../metadata/schedule.fires.js';
import type { NoticeBoard } from '../events/notice.board.js';
import type { Timer, TimerWheel } from '../timing/timer.wheel.js';
import { JobFire, type FireHost } from './job.fire.js';
import type { ScheduledMethod } from './scheduled.method.js';

/** How long after its callback's end a fire waits for the call of its method, in ms. */
const CALL_TIMEOUT = 1000;
/** After this time a fire whose callback has not ended is logged, in ms: a decorator around the guard may wait for its turn. */
const LONG_WAIT = 10_000;

/** The receivers of the outcomes of fires. */
export interface FireSurroundings {
  readonly notices: NoticeBoard;
  readonly wheel: TimerWheel;
  /** The instances of the process that have scheduled methods of their own. */
  readonly instances: WeakSet<object>;
}

/** The fires of one scheduled method, each of which is to end in one call of its guard. */
export class FireTracker implements FireHost {
  keepsContext = false;
  #lapsed: JobFire | undefined;
  #hasWarnedLostFire = false;
  #hasWarnedGuess = false;
  readonly #open = new Map<JobFire, Timer>();

  /** @param isOptional whether the method may leave out the call: it overrides the guarded one */
  constructor(
    private readonly method: ScheduledMethod,
    private readonly surroundings: FireSurroundings,
    private readonly isOptional = false,
  ) {
    surroundings.instances.add(method.instance);
  }

  get guard(): ScheduledMethod['guard'] {
    return this.method.guard;
  }

  /** Its own instance, or a stand-in for it: a Proxy, a bound or a copied `this`. */
  accepts(instance: object): boolean {
    return instance === this.method.instance || !this.surroundings.instances.has(instance);
  }

  /**
   * Runs the callback of a fire.
   * @param tick the tick that the call of the guard runs
   * @param isAwaited whether the scheduler fires again only when the callback has ended
   */
  run(tick: ScheduledTick, callback: () => unknown, isAwaited = false): unknown {
    const fire = new JobFire(this, tick);
    const aborted = isAwaited ? fire.aborted() : undefined;
    const result = this.begin(fire, callback);
    return aborted === undefined ? result : Promise.race([result, aborted]);
  }

  /** @returns the result of the callback */
  begin(fire: JobFire, callback: () => unknown): unknown {
    const result = markFire(fire, callback);
    if (!fire.isTaken) this.#leaveOpen(fire);
    if (fire.state !== 'taken') {
      const ended = () => this.#ended(fire);
      Promise.resolve(result).then(ended, ended);
    }
    return result;
  }

  taken(fire: JobFire, proof: FireProof): void {
    if (proof === 'context') this.keepsContext = true;
    if (proof === 'guess') this.#warnFireGuessed();
    else this.#close(fire);
    this.#cancel(fire);
    // Calls come in the order of their fires: the fires before this one have no call.
    if (this.#lapsed !== undefined && this.#lapsed !== fire) this.#close(this.#lapsed);
    this.#lapsed = undefined;
  }

  /** No fire leads to a run any more: the call of a fire that is still without one is refused. */
  lapseAll(): void {
    this.#hasWarnedLostFire = true;
    for (const fire of this.#open.keys()) this.#lapse(fire);
  }

  /** The application has ended. */
  end(): void {
    for (const fire of this.#open.keys()) this.#close(fire);
    if (this.#lapsed !== undefined) this.#close(this.#lapsed);
  }

  #leaveOpen(fire: JobFire): void {
    fire.state = 'open';
    holdOpen(this.guard, fire);
    this.#open.set(
      fire,
      this.surroundings.wheel.after(LONG_WAIT, () => this.#warnLost()),
    );
  }

  /** Its callback has ended. */
  #ended(fire: JobFire): void {
    if (fire.state === 'guessed') {
      fire.state = 'over';
      this.#close(fire);
    }
    if (fire.state !== 'open') return;
    this.#cancel(fire);
    this.#open.set(
      fire,
      this.surroundings.wheel.after(CALL_TIMEOUT, () => this.#lapse(fire)),
    );
  }

  #lapse(fire: JobFire): void {
    this.#cancel(fire);
    fire.lapse();
    if (this.#lapsed !== undefined) this.#close(this.#lapsed);
    this.#lapsed = fire;
    if (this.isOptional) this.#close(fire);
    this.#warnLost();
  }

  #warnLost(): void {
    if (this.#hasWarnedLostFire || this.isOptional) return;
    this.#hasWarnedLostFire = true;
    this.surroundings.notices.post({ kind: 'fire-lost', lock: this.method.job, where: this.method.where });
  }

  #warnFireGuessed(): void {
    if (this.#hasWarnedGuess) return;
    this.#hasWarnedGuess = true;
    const { job, where } = this.method;
    this.surroundings.notices.post({ kind: 'fire-guessed', lock: job, where });
  }

  #close(fire: JobFire): void {
    this.#cancel(fire);
    closeFire(this.guard, fire);
  }

  #cancel(fire: JobFire): void {
    this.surroundings.wheel.cancel(this.#open.get(fire));
    this.#open.delete(fire);
  }
}
