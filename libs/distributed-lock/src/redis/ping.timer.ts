import { now } from '../timing/monotonic.clock.js';
import type { Timer, TimerWheel } from '../timing/timer.wheel.js';

/** For how long nothing was received before a ping, in ms. */
const INTERVAL = 15_000;

/** Pings a connection that subscribes when nothing was received for a while: one that died in silence reports nothing. A message is as good as a reply. */
export class PingTimer {
  #timer: Timer | undefined;
  #receivedAt = -Infinity;

  constructor(
    private readonly wheel: TimerWheel,
    private readonly ping: () => void,
  ) {}

  /** Does nothing where it has been started. */
  start(): void {
    this.#timer ??= this.#checkAfter(INTERVAL);
  }

  /** A message has arrived. */
  received(): void {
    this.#receivedAt = now();
  }

  stop(): void {
    this.wheel.cancel(this.#timer);
    this.#timer = undefined;
  }

  #checkAfter(delay: number): Timer {
    return this.wheel.after(delay, () => this.#pingIfSilent());
  }

  #pingIfSilent(): void {
    const left = this.#receivedAt + INTERVAL - now();
    this.#timer = this.#checkAfter(left > 0 ? left : INTERVAL);
    if (left <= 0) this.ping();
  }
}
