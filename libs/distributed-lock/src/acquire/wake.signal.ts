import type { Timer, TimerWheel } from '../timing/timer.wheel.js';

/** Puts one sleeper to sleep until it is woken or its time is over. A wake that comes before the sleep is kept. */
export class WakeSignal {
  #pending = false;
  #wake: (() => void) | undefined;

  constructor(private readonly wheel: TimerWheel) {}

  /** Wakes the sleeper, now or at its next sleep. */
  wake(): void {
    this.#pending = true;
    this.#wake?.();
  }

  /** Forgets a wake-up that came without a sleep. */
  clear(): void {
    this.#pending = false;
  }

  /** Resolves after `delay` ms, or at a wake. One sleeper at a time. */
  async sleep(delay: number): Promise<void> {
    if (!this.#pending) {
      let timer: Timer | undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        timer = this.wheel.after(delay, resolve);
      });
      this.wheel.cancel(timer);
      this.#wake = undefined;
    }
    this.#pending = false;
  }
}
