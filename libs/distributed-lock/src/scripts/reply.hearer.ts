/** Who asked, and hears what came of it as soon as that is known. Must not throw. */
export interface ReplyHearer<T> {
  heard(reply: T): void;
  failed(error: unknown): void;
}

/** What is heard, as a promise. */
export class PromisedReply<T> implements ReplyHearer<T> {
  readonly promise: Promise<T>;
  #resolve!: (reply: T) => void;
  #reject!: (error: unknown) => void;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  heard(reply: T): void {
    this.#resolve(reply);
  }

  failed(error: unknown): void {
    this.#reject(error);
  }
}

/** What is heard of one question, as a promise. */
export function promised<T>(ask: (hearer: ReplyHearer<T>) => void): Promise<T> {
  const reply = new PromisedReply<T>();
  ask(reply);
  return reply.promise;
}
