import { MemoryChannels } from './memory.channels.js';
import { MemoryKeys } from './memory.keys.js';
import { fromBytes, MemoryScripts } from './memory.scripts.js';
import { TurnLine } from './turn.line.js';

/**
 * What Redis is to applications, in the memory of a test: the keys of locks, with their leases, and the channels on which
 * releases are told. Modules that are given one store compete for the same locks, as instances of one application do.
 */
export class MemoryStore {
  /** @internal */
  readonly turns = new TurnLine();
  /** @internal */
  readonly keys = new MemoryKeys();
  /** @internal */
  readonly channels = new MemoryChannels(this.turns.later);
  /** @internal */
  readonly scripts = new MemoryScripts(this);

  /** The keys that are there, as they would be called in Redis: for looking, not for relying on. */
  keyNames(): string[] {
    return this.keys.names().map(fromBytes);
  }

  /** Forgets everything, as `FLUSHALL` would: whoever held a lock learns it at the next renewal. */
  clear(): void {
    this.keys.clear();
  }
}
