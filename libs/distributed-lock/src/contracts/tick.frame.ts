import { AsyncLocalStorage } from 'node:async_hooks';

/** What a fire of a schedule means for one guarded method: a tick of its job. */
export interface TickCall {
  /**
   * Runs `work` if the tick is this instance's to run, under the job's lock; otherwise settles quietly.
   * @param work settles when the run is over; its error is the call's
   */
  run(work: () => unknown): Promise<unknown>;
}

/** A schedule that fires. */
export interface TickSource {
  /** The tick of that method; undefined for methods whose schedule this is not. */
  tickOf(instance: object, methodKey: string | symbol): TickCall | undefined;
}

interface FireFrame {
  readonly source: TickSource;
  /** Module instances mark the fires of their own methods, each around the other. */
  readonly around: FireFrame | undefined;
  /** Whether it stands for many fires, which share one async context. */
  readonly lasts: boolean;
  spent: boolean;
}

const STORAGE = Symbol.for('nestjs-distributed-lock.tick');

/** The schedule's and the method's copy of this package may differ: one storage per process. */
function storage(): AsyncLocalStorage<FireFrame | undefined> {
  const place: typeof globalThis & { [STORAGE]?: AsyncLocalStorage<FireFrame | undefined> } = globalThis;
  return (place[STORAGE] ??= new AsyncLocalStorage<FireFrame | undefined>());
}

/** Runs `fire`, one fire of a schedule: the first call of a guarded method that is on it is the tick. */
export function markFire<T>(source: TickSource, fire: () => T): T {
  return storage().run({ source, around: storage().getStore(), lasts: false, spent: false }, fire);
}

/** Runs `start`, which sets timers: every later fire of one of them is marked. */
export function markTimers<T>(source: TickSource, start: () => T): T {
  return storage().run({ source, around: storage().getStore(), lasts: true, spent: false }, start);
}

/** Runs `work` so that no call in it is a tick. */
export function outsideFires<T>(work: () => T): T {
  return storage().run(undefined, work);
}

/**
 * The tick that this call of a guarded method stands for; undefined for a direct call. Ask once, at the very start of
 * the call: the fire is used up by it, so that what the tick's work calls is not a tick again.
 */
export function takeTick(instance: object, methodKey: string | symbol): TickCall | undefined {
  for (let frame = storage().getStore(); frame !== undefined; frame = frame.around) {
    const tick = frame.spent ? undefined : frame.source.tickOf(instance, methodKey);
    if (tick === undefined) continue;
    frame.spent = !frame.lasts;
    return { run: (work) => tick.run(() => outsideFires(work)) };
  }
  return undefined;
}
