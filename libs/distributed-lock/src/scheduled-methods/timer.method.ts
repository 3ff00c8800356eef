import type { ScheduledTick } from '../metadata/schedule.fires.js';
import type { FireTracker } from '../nest-schedule/fire.tracker.js';
import type { ScheduledMethod } from '../nest-schedule/scheduled.method.js';
import type { MountEntry, RegistryLike } from '../nest-schedule/scheduler.finder.js';

/** The ticks of a timer method, by its kind. */
export interface TimerTicks {
  readonly tick: ScheduledTick;
  /** Called when the schedule's timers are set. */
  readonly open: () => void;
  readonly close: () => void;
}

/** Where the scheduler has a timer. */
interface Timer {
  readonly name: string;
  readonly entry: MountEntry;
  readonly registry: RegistryLike;
}

/** A guarded `@Interval` or `@Timeout` method. */
export class TimerMethod {
  readonly #ticks: TimerTicks;
  readonly #timers: Timer[] = [];
  #hasFired = false;
  #isClosed = false;

  /** @param make makes its ticks, which go by the function that they are given: whether the timer is on */
  constructor(
    readonly method: ScheduledMethod,
    private readonly fires: FireTracker,
    make: (isOn: () => boolean) => TimerTicks,
  ) {
    this.#ticks = make(() => this.isOn);
  }

  /** Whether the scheduler runs it on this instance now: every path to a run of it on this instance checks this. */
  get isOn(): boolean {
    return !this.#isClosed && this.#timers.some((timer) => this.#isLive(timer));
  }

  /** The scheduler has set a timer for it. */
  follow(timer: Timer): void {
    this.#timers.push(timer);
    if (this.#timers.length === 1) this.#ticks.open();
  }

  /** A fire of its timer. */
  fire(callback: () => unknown): unknown {
    const isAgain = this.#isTimeout && this.#hasFired;
    this.#hasFired = true;
    // Where a second provider stands for the same instance, the scheduler sets a second timer.
    if (isAgain) return this.fires.run({ run: () => Promise.resolve() }, callback);
    return this.fires.run(this.#ticks.tick, callback);
  }

  /** The tick that a call by a job of the application's own runs. */
  tickOf(): ScheduledTick {
    return this.#ticks.tick;
  }

  close(): void {
    this.#isClosed = true;
    this.#ticks.close();
    this.fires.lapseAll();
  }

  get #isTimeout(): boolean {
    return this.method.schedule.kind === 'timeout';
  }

  /** Not one that was deleted from the scheduler, or cleared. One that has fired is over by itself. */
  #isLive({ name, entry, registry }: Timer): boolean {
    const type = this.#isTimeout ? 'timeout' : 'interval';
    if (!registry.doesExist(type, name)) return false;
    const ref = type === 'timeout' ? registry.getTimeout(name) : registry.getInterval(name);
    if (ref !== entry.ref) return false;
    return (this.#isTimeout && this.#hasFired) || !isCleared(ref);
  }
}

/** Node notes it at the timer. Timers that tests have put in the place of Node's have no such note, and count as set. */
function isCleared(ref: unknown): boolean {
  return typeof ref === 'object' && ref !== null && Reflect.get(ref, '_destroyed') === true;
}
