import { randomUUID } from 'node:crypto';

/** Holder ids of one module instance: `<client uuid>:<integer>` (wire format 1.1). No integer is ever used twice. */
export class HolderIds {
  /** New at every start, as a Redisson client's is. */
  readonly client: string = randomUUID();
  #last = 0;

  next(): string {
    this.#last += 1;
    return `${this.client}:${this.#last}`;
  }
}
