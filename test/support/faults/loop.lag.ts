const PERIOD = 5;

/** How late this process's own timers are at worst: what no library can do anything about. */
export class LoopLag {
  readonly #timer: NodeJS.Timeout;
  #worst = 0;
  #due = performance.now() + PERIOD;

  constructor() {
    this.#timer = setInterval(() => {
      this.#worst = this.worst;
      this.#due = performance.now() + PERIOD;
    }, PERIOD).unref();
  }

  /** In ms. A timer that is overdue counts: the question may come right after what has kept the process busy, and before any timer. */
  get worst(): number {
    return Math.max(this.#worst, performance.now() - this.#due);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
