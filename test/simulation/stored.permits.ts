/** The permits of a semaphore that are taken, as the store has them. */
export class StoredPermits {
  /**
   * @param expiries by the 16 bytes of each id, in epoch ms
   * @param now of the store
   */
  constructor(
    private readonly expiries: ReadonlyMap<string, number>,
    private readonly now: number,
  ) {}

  /** Those included whose lease is over, and that are not given back yet. */
  get size(): number {
    return this.expiries.size;
  }

  /** How many of them can be given back. */
  get expired(): number {
    let expired = 0;
    for (const expiry of this.expiries.values()) if (expiry <= this.now) expired += 1;
    return expired;
  }

  has(id: string): boolean {
    return this.leftOf(id) > 0;
  }

  /** What is left of a lease, in ms; at most 0: it is over. */
  leftOf(id: string): number {
    return (this.expiries.get(Buffer.from(id, 'hex').toString('latin1')) ?? -Infinity) - this.now;
  }

  /** Those whose lease is not over. */
  ids(): string[] {
    const held = [...this.expiries].filter(([, expiry]) => expiry > this.now);
    return held.map(([id]) => Buffer.from(id, 'latin1').toString('hex'));
  }
}
