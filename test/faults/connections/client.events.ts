/** What becomes of an event that ioredis emits. */
export type Answer =
  /** It is a step in the life of a connection, which the library follows. */
  | 'followed'
  /** It is the reason that errors and log lines give. */
  | 'reason'
  /** Its payload is delivered. */
  | 'delivered'
  /** It says nothing that is not known by another event, or concerns what the library does not use. */
  | 'unused';

/** Every event that ioredis 5 or 6 emits, and what becomes of it. docs/degraded-redis.md has the same table for readers. */
export const CLIENT_EVENTS: Readonly<Record<string, Answer>> = {
  wait: 'unused',
  connecting: 'unused',
  connect: 'followed',
  ready: 'followed',
  close: 'followed',
  reconnecting: 'unused',
  disconnecting: 'unused',
  end: 'followed',
  error: 'reason',
  sentinelError: 'reason',
  sentinelReconnecting: 'unused',
  failoverSubscribed: 'unused',
  'node error': 'reason',
  '+node': 'followed',
  '-node': 'followed',
  refresh: 'followed',
  message: 'delivered',
  smessage: 'delivered',
  moved: 'followed',
  select: 'unused',
  messageBuffer: 'unused',
  smessageBuffer: 'unused',
  pmessage: 'unused',
  pmessageBuffer: 'unused',
  monitor: 'unused',
  monitoring: 'unused',
  // Between the parts of a cluster's client; it passes them on as events of its own.
  nodeError: 'unused',
  drain: 'unused',
  forceRefresh: 'unused',
  // Of the option shardedSubscribers, which the library does without.
  '+subscriber': 'unused',
  '-subscriber': 'unused',
  subscribersReady: 'unused',
  subscriberConnectFailed: 'unused',
};
