/** Who asked, and hears what came of it as soon as that is known. Must not throw. */
export interface ReplyHearer<T> {
  heard(reply: T): void;
  failed(error: unknown): void;
}

/** What is heard of one question, as a promise. */
export function promised<T>(ask: (hearer: ReplyHearer<T>) => void): Promise<T> {
  return new Promise((heard, failed) => ask({ heard, failed }));
}
