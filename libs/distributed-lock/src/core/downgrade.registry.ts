/**
 * The holder ids of read holds that came from the write side of their lock: who writes may read, under the same id (wire format
 * section 7). Such an id is used again, so nothing that still frees it on the read side may be under way when it comes back.
 */
export class DowngradeRegistry {
  readonly #joiners = new Map<string, number>();
  readonly #leaving = new Map<string, Promise<unknown>>();
  readonly #reading = new Set<string>();

  /** Whether the holder id reads, or is about to. */
  has(holder: string): boolean {
    return this.#reading.has(holder);
  }

  /** Another caller under this id asks to read. */
  enter(holder: string): void {
    this.#joiners.set(holder, (this.#joiners.get(holder) ?? 0) + 1);
    this.#reading.add(holder);
  }

  /** A caller has its answer. @returns whether it was the last one under way */
  leave(holder: string): boolean {
    const others = (this.#joiners.get(holder) ?? 1) - 1;
    if (others > 0) this.#joiners.set(holder, others);
    else this.#joiners.delete(holder);
    return others === 0;
  }

  /** What frees the read side of the holder id at this moment. */
  leaving(holder: string): Promise<unknown> | undefined {
    return this.#leaving.get(holder);
  }

  /** Its read hold was lost: nothing is sent for it. */
  lost(holder: string): void {
    if (!this.#leaving.has(holder) && !this.#joiners.has(holder)) this.#reading.delete(holder);
  }

  /** Its read hold has ended; `freed` settles when nothing of it is left to be sent. */
  ended(holder: string, freed: Promise<unknown>): void {
    if (!this.has(holder)) return;
    const done = freed
      .catch(() => undefined)
      .then(() => {
        if (this.#leaving.get(holder) !== done) return;
        this.#leaving.delete(holder);
        if (!this.#joiners.has(holder)) this.#reading.delete(holder);
      });
    this.#leaving.set(holder, done);
  }
}
