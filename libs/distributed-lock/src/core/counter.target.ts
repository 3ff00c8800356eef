/** A semaphore or a latch: its name, and where it is stored in Redis. */
export interface CounterTarget {
  /** The name as the application passed it. */
  readonly name: string;
  /** In Redis: with prefix, or mapped. */
  readonly key: string;
  /** The channel on which its changes are published. */
  readonly channel: string;
  /** The key of its local waiters in the registry. */
  readonly id: string;
}

/** @param name as the application passed it @param key in Redis */
export function counterTarget(name: string, key: string, channelOf: (key: string) => string): CounterTarget {
  return { name, key, channel: channelOf(key), id: key };
}
