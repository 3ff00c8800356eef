/** A binary min-heap of numbers: which bucket of the timer wheel is due next. */
export class BucketHeap {
  readonly #items: number[] = [];

  get first(): number | undefined {
    return this.#items[0];
  }

  get size(): number {
    return this.#items.length;
  }

  /** Keeps only `values`. */
  rebuild(values: Iterable<number>): void {
    this.clear();
    for (const value of values) this.push(value);
  }

  push(value: number): void {
    const items = this.#items;
    let at = items.length;
    items.push(value);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = items[parent] ?? value;
      if (above <= value) break;
      items[at] = above;
      at = parent;
    }
    items[at] = value;
  }

  pop(): number | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (items.length > 0 && last !== undefined) this.#sink(last);
    return first;
  }

  clear(): void {
    this.#items.length = 0;
  }

  #sink(value: number): void {
    const items = this.#items;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      let below = items[child];
      if (below === undefined) break;
      const right = items[child + 1];
      if (right !== undefined && right < below) {
        child += 1;
        below = right;
      }
      if (below >= value) break;
      items[at] = below;
      at = child;
    }
    items[at] = value;
  }
}
