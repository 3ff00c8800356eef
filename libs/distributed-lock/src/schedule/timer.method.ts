import 'reflect-metadata';
import { outsideFires, type TickCall } from '../contracts/tick.frame.js';
import type { ScheduledMethod } from './scheduled.method.js';

/** A guarded `@Interval` or `@Timeout` method. */
export class TimerMethod {
  constructor(
    private readonly method: ScheduledMethod,
    readonly tick: TickCall,
    /** Called when the schedule's timers are set. */
    readonly open: () => void,
    readonly close: () => void,
  ) {}

  is(instance: object, methodKey: string | symbol): boolean {
    return this.method.instance === instance && this.method.methodKey === methodKey;
  }

  /**
   * Tells direct calls from ticks where a timer's method without a guard calls this one: the schedule has taken the
   * prototype's function by now, and whoever asks the instance from here on gets one that is never a tick.
   */
  setDirectCallsApart(): void {
    const { instance, methodKey } = this.method;
    const guarded: unknown = Reflect.get(instance, methodKey);
    if (typeof guarded !== 'function' || !Object.isExtensible(instance)) return;
    const direct = new Proxy(guarded, {
      apply: (target, self, args) => outsideFires((): unknown => Reflect.apply(target, self, args)),
    });
    for (const key of Reflect.getMetadataKeys(guarded)) {
      Reflect.defineMetadata(key, Reflect.getMetadata(key, guarded), direct);
    }
    Reflect.defineProperty(instance, methodKey, { value: direct, writable: true, configurable: true });
  }
}
