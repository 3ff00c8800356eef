import { markTimers, type TickCall, type TickSource } from '../contracts/tick.frame.js';
import type { CronMethod } from './cron.method.js';

/**
 * The moment at which a scheduler makes its cron jobs. One whose instant passes just then fires in its constructor, on a busy machine:
 * a tick like any other, before anybody could mark the job's fires.
 */
export class MountSource implements TickSource {
  #isMounting = false;

  constructor(private readonly methods: readonly CronMethod[]) {}

  tickOf(instance: object, methodKey: string | symbol): TickCall | undefined {
    // What the jobs fire later has inherited this frame, and is marked by themselves.
    if (!this.#isMounting) return undefined;
    return this.methods.find((method) => method.is(instance, methodKey))?.lateFire();
  }

  /** Runs `start`, which makes the jobs. */
  watch<T>(start: () => T): T {
    this.#isMounting = true;
    try {
      return markTimers(this, start);
    } finally {
      this.#isMounting = false;
    }
  }
}
