import {
  freeState,
  holderOf,
  holdId,
  longestOf,
  longestRead,
  outcome,
  type Outcome,
  type Payload,
  type RwState,
} from './read-write.state.js';

/** What the library's scripts do, from the tables of the wire format's section 7 and the register's rules for Node. */
export class ReadWriteModel {
  state: RwState = freeState();

  read(holder: string, lease: number, count: number): Outcome {
    const { hash, intent } = this.state;
    if (hash?.writer !== undefined && hash.writer.holder !== holder) return this.#busy();
    const held = hash?.reads.get(holder) ?? 0;
    if (held === 0 && count > 1) return outcome([2]);
    // D15: who waits to write keeps out who has nothing yet.
    if (held === 0 && hash?.writer === undefined && intent !== undefined && intent.holder !== holder)
      return outcome([0, intent.ttl, intent.holder]);
    const { reads } = (this.state.hash ??= { mode: 'read', ttl: 0, reads: new Map(), writer: undefined });
    for (let n = 1; n <= count; n += 1) this.#hold(holder, n, n > held, n === count, lease);
    reads.set(holder, Math.max(held, count));
    this.#raise(lease);
    return outcome(held > count ? [1, held] : 1);
  }

  /** @param write what the write hold of the same holder needs yet; 0: not known */
  unread(holder: string, count: number, lease: number, write = 0): Outcome {
    const { hash, holds } = this.state;
    const held = this.#reads(holder);
    if (hash === undefined || held === 0) {
      if (count === 0) this.#dropOrphans(holder);
      return outcome([0], ...(hash === undefined ? (['0'] as const) : []));
    }
    if (held <= count) return outcome([2, held]);
    for (let n = held; n > count; n -= 1) holds.delete(holdId(holder, n));
    for (let n = count; n >= 1; n -= 1) holds.set(holdId(holder, n), lease);
    if (count === 0) hash.reads.delete(holder);
    else hash.reads.set(holder, count);
    const longest = longestRead(this.state);
    if (hash.mode === 'read' && longest === 0) {
      this.state.hash = undefined;
      return outcome([1, 1], '0');
    }
    const isLowered = hash.mode === 'read' || write > 0;
    const rest = hash.mode === 'read' ? longest : Math.max(longest, write);
    const told = isLowered ? toldOf(hash.ttl, rest) : [];
    if (isLowered || (hash.ttl !== -1 && hash.ttl < longest)) hash.ttl = rest;
    return outcome(count === 0 ? [1, 0] : [2, count], ...told);
  }

  renewRead(holder: string, lease: number): Outcome {
    const { hash, holds } = this.state;
    const held = this.#reads(holder);
    if (hash === undefined || longestOf(this.state, holder, held) === 0) {
      hash?.reads.delete(holder);
      this.#dropOrphans(holder);
      const isFreed = held > 0 && hash?.mode === 'read' && longestRead(this.state) === 0;
      if (isFreed) this.state.hash = undefined;
      return outcome([0], ...(isFreed ? (['0'] as const) : []));
    }
    for (let n = 1; n <= held; n += 1) {
      const left = holds.get(holdId(holder, n));
      if (left !== undefined) holds.set(holdId(holder, n), Math.max(left, lease));
    }
    const longest = longestOf(this.state, holder, held);
    if (lease > 0 || hash.ttl !== -1) this.#raise(longest);
    return outcome([1, longest]);
  }

  lookRead(holder: string): Outcome {
    const { hash } = this.state;
    const isRead = hash?.mode === 'read' || (hash?.reads.size ?? 0) > 0;
    return outcome([
      1,
      hash?.ttl ?? -2,
      this.#reads(holder),
      isRead ? holderOf(this.state) : '',
      isRead ? 1 : 0,
    ]);
  }

  write(holder: string, lease: number, count: number, sleep: number): Outcome {
    const { hash } = this.state;
    if (hash === undefined) {
      if (count > 1) return outcome([2]);
      this.state.hash = {
        mode: 'write',
        ttl: lease,
        reads: new Map(),
        writer: { holder, count: 1 },
      };
      this.state.intent = undefined;
      return outcome([1, 1]);
    }
    if (hash.writer?.holder !== holder) {
      if (sleep > 0 && this.#reads(holder) === 0)
        this.state.intent = { holder, ttl: Math.max(sleep, this.state.intent?.ttl ?? 0) };
      return this.#busy();
    }
    hash.writer.count = Math.max(hash.writer.count, count);
    this.#raise(lease);
    return outcome([1, hash.writer.count]);
  }

  unwrite(holder: string, count: number, lease: number): Outcome {
    const { hash, intent } = this.state;
    if (hash?.writer?.holder !== holder) {
      const gaveUp = count === 0 && intent?.holder === holder;
      if (gaveUp) this.state.intent = undefined;
      const isOpen = hash === undefined || (gaveUp && hash.mode === 'read');
      return outcome([0], ...(isOpen ? (['1'] as const) : []));
    }
    const longest = longestRead(this.state);
    if (count === 0) {
      hash.writer = undefined;
      hash.mode = 'read';
      hash.ttl = longest;
      if (longest === 0) this.state.hash = undefined;
      this.state.intent = undefined;
      return outcome([1, 1], '1');
    }
    const rest = Math.max(lease, longest);
    if (hash.writer.count <= count) return outcome([2, hash.writer.count]);
    const told = toldOf(hash.ttl, rest);
    hash.writer.count = count;
    hash.ttl = rest;
    return outcome([2, count], ...told);
  }

  renewWrite(holder: string, lease: number): Outcome {
    const { hash } = this.state;
    if (hash?.writer?.holder !== holder) return outcome([0]);
    if (lease > 0) this.#raise(lease);
    return outcome([1, hash.ttl]);
  }

  lookWrite(holder: string): Outcome {
    const { hash } = this.state;
    const count = hash?.writer?.holder === holder ? hash.writer.count : 0;
    return outcome([1, hash?.ttl ?? -2, count, hash?.writer?.holder ?? '', hash?.mode === 'write' ? 1 : 0]);
  }

  force(mode: 'read' | 'write'): Outcome {
    const { hash, holds } = this.state;
    if (hash?.mode !== mode) return outcome([0]);
    for (const [holder, count] of hash.reads)
      for (let n = 1; n <= count; n += 1) holds.delete(holdId(holder, n));
    this.state.hash = undefined;
    return outcome([1, 1], mode === 'read' ? '0' : '1');
  }

  /** Beside a writer only the writer itself reads. */
  #reads(holder: string): number {
    const { hash } = this.state;
    if (hash?.writer !== undefined && hash.writer.holder !== holder) return 0;
    return hash?.reads.get(holder) ?? 0;
  }

  #busy(): Outcome {
    return outcome([0, this.state.hash?.ttl, holderOf(this.state)]);
  }

  /** A hold that is new or has run out gets the lease; one that is asked for again gets at least as much. */
  #hold(holder: string, n: number, isNew: boolean, isWanted: boolean, lease: number): void {
    const left = this.state.holds.get(holdId(holder, n));
    if (isNew || left === undefined || (isWanted && left < lease))
      this.state.holds.set(holdId(holder, n), lease);
  }

  /** D17: a hash without a ttl gets no less than its longest hold. */
  #raise(lease: number): void {
    const { hash } = this.state;
    if (hash?.ttl === -1) hash.ttl = longestRead(this.state);
    if (hash !== undefined) hash.ttl = Math.max(hash.ttl, lease);
  }

  #dropOrphans(holder: string): void {
    for (let n = 1; this.state.holds.delete(holdId(holder, n)); n += 1);
  }
}

/** Waiters are woken by a lease that becomes shorter. */
function toldOf(before: number, after: number): readonly Payload[] {
  if (before === after) return ['?'];
  return before === -1 || before > after ? ['1'] : [];
}
