import { AsyncLocalStorage } from 'node:async_hooks';
import type { GuardEntry } from './guard.registry.js';

/** What a fire of a schedule means for one guarded method: a tick of its job. */
export interface ScheduledTick {
  /**
   * Runs `work` if the tick is this instance's to run, under the job's lock; otherwise settles quietly.
   * @param work settles when the run is over; its error is the call's
   */
  run(work: (lock?: RunningLock) => unknown): Promise<unknown>;
}

/** What a run needs to know of its lock. */
export interface RunningLock {
  readonly signal: AbortSignal;
}

/**
 * How a call was matched with a fire. `stack`: it came while the scheduler's callback was on the stack. `context`: later, in the async
 * context of the fire. `guess`: neither, but the fire is still without its call.
 */
export type FireProof = 'stack' | 'context' | 'guess';

/** What a call of a guarded method is: a tick, a call of the user's own, or one that nothing tells apart. */
export type CallKind = ScheduledTick | 'direct' | 'unclear';

/** One fire of a schedule: the first call of the guarded method that it is for is the tick. */
export interface Fire {
  /** The tick that a call of that guard is; undefined where the fire is not for it. */
  tickOf(guard: GuardEntry, instance: object): ScheduledTick | undefined;
  /** The call has come. */
  taken(proof: FireProof): void;
}

/** A fire whose callback has left the stack, and whose guarded method was not called by then. */
export interface OpenFire extends Fire {
  /** What a call of its guard is that neither the stack nor the async context ties to a fire; undefined: none of this fire's. */
  guess(instance: object): ScheduledTick | 'unclear' | undefined;
}

/** A stretch of calls: those of one fire, or (without a fire) those that the user has said to be direct. */
interface Frame {
  readonly fire: Fire | undefined;
  /** The frame whose callback made this one: module instances mark the fires of their own methods, each around the other. */
  readonly around: Frame | undefined;
  /** The guards that have had their call. */
  readonly spent: Set<GuardEntry>;
}

/** Of the process: the schedule's and the method's copy of this package may differ. */
interface ProcessFires {
  readonly storage: AsyncLocalStorage<Frame | undefined>;
  /** Whose callback is on the stack. */
  current: Frame | undefined;
  /** Oldest first. */
  readonly open: Map<GuardEntry, Set<OpenFire>>;
}

const PROCESS_KEY = Symbol.for('nestjs-distributed-lock.fires');

function processFires(): ProcessFires {
  const holder: typeof globalThis & { [PROCESS_KEY]?: ProcessFires } = globalThis;
  return (holder[PROCESS_KEY] ??= { storage: new AsyncLocalStorage(), current: undefined, open: new Map() });
}

/** Runs `start`, one fire of a schedule: the first call of a guarded method that is on it is the tick. */
export function markFire<T>(fire: Fire, start: () => T): T {
  return inFrame(fire, start);
}

/**
 * A direct call is a call by your code, not by the scheduler: it is no tick, and acquires the lock as if the method
 * had no schedule. If `work` calls a scheduled method with `@DistributedLock`, the library treats that call as a
 * direct one. One `directCall()` covers one call of each method: if `work` calls the same method twice, wrap the
 * second call in another `directCall()`. You need `directCall()` only if a decorator above `@DistributedLock`, such
 * as a queue, delays calls and loses their async context. Otherwise the library itself knows which calls are direct
 * ones.
 * @returns the result of `work`
 */
export function directCall<T>(work: () => T): T {
  return inFrame(undefined, work);
}

function inFrame<T>(fire: Fire | undefined, start: () => T): T {
  const here = processFires();
  const around = here.current;
  const frame: Frame = { fire, around, spent: new Set() };
  here.current = frame;
  try {
    return here.storage.run(frame, start);
  } finally {
    here.current = around;
  }
}

/** Runs `work` so that no call in it is a tick of the fire that it runs for. */
export function outsideFires<T>(work: () => T): T {
  const here = processFires();
  const { current } = here;
  here.current = undefined;
  try {
    return here.storage.run(undefined, work);
  } finally {
    here.current = current;
  }
}

/** From now on calls of that guard which nothing ties to a fire are put to `fire`, until it is closed. */
export function holdOpen(guard: GuardEntry, fire: OpenFire): void {
  const { open } = processFires();
  const fires = open.get(guard) ?? new Set();
  open.set(guard, fires.add(fire));
}

export function closeFire(guard: GuardEntry, fire: OpenFire): void {
  const { open } = processFires();
  const fires = open.get(guard);
  fires?.delete(fire);
  if (fires?.size === 0) open.delete(guard);
}

/**
 * What this call of a guarded method is. Ask once, at the very start of the call: the fire is used up by it, so that what the tick's work
 * calls is not a tick again.
 */
export function takeCall(guard: GuardEntry, instance: object): CallKind {
  const { storage, current, open } = processFires();
  for (let frame = current; frame !== undefined; frame = frame.around) {
    const kind = takeFrom(frame, guard, instance, 'stack');
    if (kind !== undefined) return kind;
  }
  for (let frame = storage.getStore(); frame !== undefined; frame = frame.around) {
    const kind = takeFrom(frame, guard, instance, 'context');
    if (kind !== undefined) return kind;
  }
  const fires = open.get(guard);
  return fires === undefined ? 'direct' : guess(fires, instance);
}

function takeFrom(
  { fire, spent }: Frame,
  guard: GuardEntry,
  instance: object,
  proof: FireProof,
): CallKind | undefined {
  if (spent.has(guard)) return undefined;
  const kind = fire === undefined ? 'direct' : fire.tickOf(guard, instance);
  if (kind === undefined) return undefined;
  spent.add(guard);
  fire?.taken(proof);
  return kind;
}

function guess(fires: ReadonlySet<OpenFire>, instance: object): CallKind {
  let isUnclear = false;
  for (const fire of fires) {
    const kind = fire.guess(instance);
    if (kind === 'unclear') isUnclear = true;
    else if (kind !== undefined) return kind;
  }
  return isUnclear ? 'unclear' : 'direct';
}
