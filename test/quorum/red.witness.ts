import type { LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';

/** Sees every section of every service, by one monotonic clock: who was inside beside whom, and when nobody got in. */
export class RedWitness {
  readonly overlaps: string[] = [];
  grants = 0;
  /** Holds whose signal was aborted, or that were lost by their unlock. */
  lost = 0;
  /** The longest time in which nobody got in, in ms. */
  longestStop = 0;
  readonly #inside = new Set<LockHandle>();
  #enteredAt = performance.now();

  /** Whoever still believes to be inside, when another one comes in, is too many. */
  enter(handle: LockHandle): void {
    const at = performance.now();
    this.stopped(at);
    this.#enteredAt = at;
    this.grants += 1;
    if (handle.isHeld) {
      for (const other of this.#inside) {
        if (other.isHeld || !other.signal.aborted)
          this.overlaps.push(`${handle.holder} beside ${other.holder} at ${at.toFixed(0)}`);
      }
    }
    this.#inside.add(handle);
  }

  /** From here on it is not inside: before its key is given back. */
  leave(handle: LockHandle): void {
    this.#inside.delete(handle);
  }

  /** Counts the time since somebody came in. */
  stopped(at: number): void {
    this.longestStop = Math.max(this.longestStop, at - this.#enteredAt);
  }
}
