import type { Busy } from '../replies/lock.replies.js';
import { machine } from '../timing/machine.js';
import type { Sleeper, WakeSource } from './acquire.contract.js';

/** Pauses, in ms; they double as those of Redisson's spin lock do. */
const PAUSE = { first: 1, longest: 128 };

/** Wakes a loop by time alone, where no release is published. */
export class SpinWakeSource implements WakeSource {
  readonly isListening = false;
  #pause = PAUSE.first;

  /** Jittered, so that the waiters of several processes do not send requests at the same moment. */
  async sleep({ ttl }: Busy, sleeper: Sleeper): Promise<void> {
    const pause = this.#pause * (0.75 + 0.5 * machine.global.Math.random());
    await sleeper.sleep(ttl > 0 ? Math.min(pause, ttl + 1) : pause);
    this.#pause = Math.min(this.#pause * 2, PAUSE.longest);
  }

  granted(): void {
    this.#pause = PAUSE.first;
  }

  stop(): void {}
}
