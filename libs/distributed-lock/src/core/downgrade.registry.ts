/**
 * The holder ids of read holds that were acquired under a write hold of the same lock: a writer may read, under the same id (wire format
 * section 7). Such an id is used again, so a release of its read side must have ended before the id reads again.
 */
export class DowngradeRegistry {
  readonly #joiners = new Map<string, number>();
  readonly #leaving = new Map<string, Promise<unknown>>();
  readonly #reading = new Set<string>();

  /** Whether the holder id reads, or is about to. */
  has(holder: string): boolean {
    return this.#reading.has(holder);
  }

  /** Notes one more caller that requests the read side under this id. */
  enter(holder: string): void {
    this.#joiners.set(holder, (this.#joiners.get(holder) ?? 0) + 1);
    this.#reading.add(holder);
  }

  /** Notes that a caller has its answer. @returns whether it was the last caller under way */
  leave(holder: string): boolean {
    const others = (this.#joiners.get(holder) ?? 1) - 1;
    if (others > 0) this.#joiners.set(holder, others);
    else this.#joiners.delete(holder);
    return others === 0;
  }

  /** The release of the read side of the holder id that is under way. */
  leaving(holder: string): Promise<unknown> | undefined {
    return this.#leaving.get(holder);
  }

  /** Notes that the read hold was lost. What is still to be sent for it is {@link ended} before. */
  lost(holder: string): void {
    if (!this.#leaving.has(holder) && !this.#joiners.has(holder)) this.#reading.delete(holder);
  }

  /** Notes that the read hold has ended; `freed` settles when no release of it is left to be sent. */
  ended(holder: string, freed: Promise<unknown>): void {
    if (!this.has(holder)) return;
    const done = Promise.allSettled([this.#leaving.get(holder), freed]).then(() => {
      if (this.#leaving.get(holder) !== done) return;
      this.#leaving.delete(holder);
      if (!this.#joiners.has(holder)) this.#reading.delete(holder);
    });
    this.#leaving.set(holder, done);
  }
}
