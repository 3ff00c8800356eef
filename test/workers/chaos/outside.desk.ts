import type { ChaosMessage, OutsideReply, OutsideRequest } from './chaos.protocol.js';

/** Asks the parent process, which keeps a register in a file: a resource that knows nothing of Redis. */
export class OutsideDesk {
  readonly #asked = new Map<number, (value: number | undefined) => void>();
  #count = 0;

  /** @returns what is there now; undefined when the token was too old */
  ask(request: Omit<OutsideRequest, 'id'>): Promise<number | undefined> {
    this.#count += 1;
    const id = this.#count;
    const message: ChaosMessage = { kind: 'outside', request: { ...request, id } };
    return new Promise((resolve) => {
      this.#asked.set(id, resolve);
      process.send?.(message);
    });
  }

  answered({ id, value }: OutsideReply): void {
    this.#asked.get(id)?.(value);
    this.#asked.delete(id);
  }
}
