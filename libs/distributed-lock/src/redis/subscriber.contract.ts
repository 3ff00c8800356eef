/** Receives the messages of a subscriber. */
export interface SubscriberListener {
  message(channel: string, payload: string): void;
  /** The channel was subscribed again, so that messages may have been missed. */
  resubscribed(channel: string): void;
  /** No message of the channel arrives until it is restored. */
  disconnected(channel: string): void;
}

/** Subscribes to channels: one connection, or in a cluster one for each node that has any of them. */
export interface Subscriber {
  /** Sets the listener. */
  listen(listener: SubscriberListener): void;
  /**
   * Resolves when Redis has acknowledged the subscription. While the connection is away it rejects, and the
   * subscription is made, and reported as restored, once it is back.
   */
  subscribe(channel: string): Promise<void>;
  unsubscribe(channel: string): void;
  /** @throws RedisFailure when the subscriber is not ready within `timeout` ms */
  untilReady(timeout: number): Promise<void>;
  /** Drops connections that do not answer, and connects again. */
  restart(): void;
  close(): Promise<void>;
}
