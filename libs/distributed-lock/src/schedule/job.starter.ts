import { Logger } from '@nestjs/common';
import { markFire, type TickCall } from '../contracts/tick.frame.js';
import type { GrantedTick } from '../locks/tick.claim.js';
import type { ScheduledMethod } from './scheduled.method.js';

/** Runs a scheduled method for ticks that no alarm of this instance stands for: retried, queued, caught up with, asked for. */
export class JobStarter {
  readonly #function: unknown;

  /** Made before the schedule's timers are set: afterwards an interval's method tells direct calls apart. */
  constructor(private readonly method: ScheduledMethod) {
    this.#function = Reflect.get(method.instance, method.methodKey);
  }

  /** Settles when the run is over. No scheduler waits for it: its error is told the way the scheduler tells it. */
  async start(granted: GrantedTick): Promise<void> {
    try {
      await this.run(granted);
    } catch (error) {
      new Logger('Scheduler').error(error);
    }
  }

  /** Settles when the run is over, with its error. */
  async run(granted: GrantedTick): Promise<void> {
    const { instance, methodKey } = this.method;
    const tick: TickCall = { run: (work) => granted.run(work) };
    const source = {
      tickOf: (called: object, key: string | symbol) =>
        called === instance && key === methodKey ? tick : undefined,
    };
    try {
      const call = this.#function;
      if (typeof call === 'function')
        await markFire(source, (): unknown => Reflect.apply(call, instance, []));
    } finally {
      // A decorator around the guard may have kept the call to itself.
      await granted.giveBack();
    }
  }
}
