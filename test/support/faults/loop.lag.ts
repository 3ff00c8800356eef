const PERIOD = 5;

/** How late this process's own timers are at worst: what no library can do anything about. */
export class LoopLag {
  worst = 0;
  readonly #timer: NodeJS.Timeout;
  #due = performance.now() + PERIOD;

  constructor() {
    this.#timer = setInterval(() => {
      const at = performance.now();
      this.worst = Math.max(this.worst, at - this.#due);
      this.#due = at + PERIOD;
    }, PERIOD).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
