const PERIOD = 5;

/** How late this process's own timers are at worst: what no library can do anything about. Timers that are late one after the other are late together. */
export class LoopLag {
  readonly #timer: NodeJS.Timeout;
  #worst = 0;
  #total = 0;
  /** Of the timers that were late in a row, up to the last one. */
  #row = 0;
  #due = performance.now() + PERIOD;

  constructor() {
    this.#timer = setInterval(() => {
      const late = performance.now() - this.#due;
      this.#row = late > PERIOD ? this.#row + late : 0;
      this.#worst = Math.max(this.#worst, this.#row);
      if (late > PERIOD) this.#total += late;
      this.#due = performance.now() + PERIOD;
    }, PERIOD).unref();
  }

  /** In ms. A timer that is overdue counts: the question may come right after what has kept the process busy, and before any timer. */
  get worst(): number {
    return Math.max(this.#worst, this.#row + performance.now() - this.#due);
  }

  /** In ms, all that its timers were late by since the beginning; a timer that is overdue counts. */
  get total(): number {
    return this.#total + Math.max(0, performance.now() - this.#due);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
