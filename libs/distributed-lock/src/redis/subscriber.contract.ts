/** Who hears what a subscriber hears. */
export interface SubscriberListener {
  message(channel: string, payload: string): void;
  /** The channel was subscribed anew, so that messages may have been missed. */
  restored(channel: string): void;
  /** Nothing is heard of the channel until it is restored. */
  lost(channel: string): void;
}

/** What listens to channels: one connection, or in a cluster one for each node that has any of them. */
export interface Subscriber {
  /** Sets who hears. */
  listen(ears: SubscriberListener): void;
  /**
   * Resolves when Redis has acknowledged the subscription. While the connection is away it rejects, and the
   * subscription is made, and told as restored, once it is back.
   */
  subscribe(channel: string): Promise<void>;
  unsubscribe(channel: string): void;
  /** @throws RedisFailure when it cannot be used within `timeout` ms */
  untilReady(timeout: number): Promise<void>;
  /** Drops what gives no sign of life and connects anew. */
  restart(): void;
  close(): Promise<void>;
}
