/** Receives the answer, or the error, of one operation as soon as it is known. Must not throw. */
export interface ReplyCallback<T> {
  /** When the operation was sent, on the monotonic clock, if the clock was read. Reading it takes as long as everything else done here. */
  readonly sentAt?: number | undefined;
  answered(reply: T): void;
  failed(error: unknown): void;
}

/** The answer to one operation, as a promise. */
export function promised<T>(send: (callback: ReplyCallback<T>) => void): Promise<T> {
  return new Promise((answered, failed) => send({ answered, failed }));
}
