/** A semaphore or a latch, as the machinery needs to know it. */
export interface CounterTarget {
  /** As the user says it. */
  readonly name: string;
  /** In Redis: with prefix, or mapped. */
  readonly key: string;
  /** Where its news are told. */
  readonly channel: string;
  /** What its line is found by. */
  readonly id: string;
}

/** @param name as the user says it @param key in Redis */
export function counterTarget(name: string, key: string, channelOf: (key: string) => string): CounterTarget {
  return { name, key, channel: channelOf(key), id: key };
}
