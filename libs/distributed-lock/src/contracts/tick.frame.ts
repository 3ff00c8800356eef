import { AsyncLocalStorage } from 'node:async_hooks';
import type { TickOptions } from './guard.contract.js';

/** The fire of a schedule, as a guarded method meets it. */
export interface TickCall {
  /**
   * Whether the fire can be of that method. A scheduled method without a guard may call a guarded one:
   * the fire is then nobody's, and the call a direct one.
   */
  isOf(instance: object, methodKey: string | symbol): boolean;
  /**
   * Runs `work` if the fire's tick of job `name` is this instance's, under the job's lock; otherwise settles quietly.
   * @param service the LockService of the called instance
   * @param work settles when the run is over
   */
  run(service: object, name: string, options: TickOptions, work: () => unknown): Promise<unknown>;
}

interface TickFrame {
  readonly call: TickCall;
  consumed: boolean;
}

const STORAGE = Symbol.for('nestjs-distributed-lock.tick');

/** The schedule's and the method's copy of this package may differ: one storage per process. */
function storage(): AsyncLocalStorage<TickFrame> {
  const place: typeof globalThis & { [STORAGE]?: AsyncLocalStorage<TickFrame> } = globalThis;
  return (place[STORAGE] ??= new AsyncLocalStorage<TickFrame>());
}

/** Runs `fire` so that the first guarded method that it calls is the tick. */
export function markFire<T>(call: TickCall, fire: () => T): T {
  return storage().run({ call, consumed: false }, fire);
}

/**
 * The fire that this call of a guarded method stands for; undefined for a direct call. Taken once, so that what a
 * tick's work calls is not a tick again: ask at the very start of the call, before anything awaits.
 */
export function takeTick(instance: object, methodKey: string | symbol): TickCall | undefined {
  const frame = storage().getStore();
  if (frame === undefined || frame.consumed || !frame.call.isOf(instance, methodKey)) return undefined;
  frame.consumed = true;
  return frame.call;
}
