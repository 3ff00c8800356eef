import { markTimers, type TickCall, type TickSource } from '../contracts/tick.frame.js';
import type { TimerMethod } from './timer.method.js';

/** The timers of a scheduler: what they call, in their own async context, is the tick of a method. */
export class TimerSource implements TickSource {
  constructor(private readonly methods: readonly TimerMethod[]) {}

  tickOf(instance: object, methodKey: string | symbol): TickCall | undefined {
    return this.methods.find((method) => method.is(instance, methodKey))?.tick;
  }

  /** Runs `start`, which sets the timers. */
  watch<T>(start: () => T): T {
    for (const method of this.methods) {
      method.setDirectCallsApart();
      method.open();
    }
    return markTimers(this, start);
  }
}
