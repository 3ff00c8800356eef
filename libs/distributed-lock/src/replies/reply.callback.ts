/** Who asked, and hears what came of it as soon as that is known. Must not throw. */
export interface ReplyCallback<T> {
  /** When it asked, on the monotonic clock, where it has looked. A clock is not read for nothing: that takes as long as all else that is done here. */
  readonly sentAt?: number | undefined;
  answered(reply: T): void;
  failed(error: unknown): void;
}

/** What is heard of one question, as a promise. */
export function promised<T>(ask: (callback: ReplyCallback<T>) => void): Promise<T> {
  return new Promise((heard, failed) => ask({ answered: heard, failed }));
}
