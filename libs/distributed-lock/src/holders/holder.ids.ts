import { randomUUID } from 'node:crypto';

/** Holder ids of one module instance: `<client uuid>:<integer>` (wire format 1.1). No integer is ever used twice. */
export class HolderIds {
  #last = 0;

  /** @param client new at every start, as a Redisson client's is */
  constructor(readonly client: string = randomUUID()) {}

  next(): string {
    this.#last += 1;
    // Joined it is one text; put together by a template it would be a tree of texts, half as big again, for as long as it is held.
    return [this.client, this.#last].join(':');
  }
}
