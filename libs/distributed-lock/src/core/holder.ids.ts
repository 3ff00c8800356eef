import { machine } from '../timing/machine.js';

/** Holder ids of one module instance: `<client uuid>:<integer>` (wire format 1.1). No integer is ever used twice. */
export class HolderIds {
  readonly #prefix: string;
  #last = 0;

  /** @param client new at every start, as a Redisson client's is */
  constructor(readonly client: string = machine.crypto.randomUUID()) {
    this.#prefix = `${client}:`;
  }

  next(): string {
    this.#last += 1;
    return `${this.#prefix}${this.#last}`;
  }

  /** The integer of the newest id. */
  get last(): number {
    return this.#last;
  }

  /** An id as it is kept for as long as a lock is held: its integer, which is no object, where the text takes 64 bytes. */
  brief(holder: string): string | number {
    const text = holder.slice(this.#prefix.length);
    const number = Number(text);
    // To make the whole id anew, and to compare that, took three times as long.
    return `${number}` === text && holder.startsWith(this.#prefix) ? number : holder;
  }

  /** The id that {@link brief} was made of. */
  whole(brief: string | number): string {
    return typeof brief === 'string' ? brief : `${this.#prefix}${brief}`;
  }
}
