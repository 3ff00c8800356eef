import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { isReport } from '../support/declared.keys.js';

const CHANNELS = 'redisson_*';
const MARK = 'redisson_observer_mark';
/** What may stay for ever: the tokens of fenced locks (D12). */
const TOKEN = /^redisson_lock_token:/;
/** What rows count with; not a lock's. */
const COUNTER = /^counter:/;

/** Neither side: looks at Redis on connections of its own, at what is said and at what stays behind. */
export class Observer {
  readonly redis: Redis;
  readonly #subscriber: Redis;
  #messages = new Map<string, string[]>();
  readonly #marks = new Map<string, () => void>();

  constructor(url: string) {
    this.redis = new Redis(url);
    this.#subscriber = new Redis(url);
    this.#subscriber.on('pmessage', (_pattern: string, channel: string, payload: string): void => {
      if (channel === MARK) return this.#marks.get(payload)?.();
      const payloads = this.#messages.get(channel) ?? [];
      this.#messages.set(channel, [...payloads, payload]);
    });
  }

  /** From now on every message is seen. */
  async start(): Promise<void> {
    await this.#subscriber.psubscribe(CHANNELS);
  }

  /** Forgets all messages until now: a row begins. */
  async begin(): Promise<void> {
    await this.#catchUp();
    this.#messages = new Map();
  }

  /** What a channel said since the row began. */
  async heard(channel: string): Promise<string[]> {
    await this.#catchUp();
    return this.#messages.get(channel) ?? [];
  }

  /** Every channel that said something since the row began, with its payloads and how often each came. */
  async messages(): Promise<string[]> {
    await this.#catchUp();
    return [...this.#messages].map(([channel, payloads]) => `${channel} ${tally(payloads)}`).toSorted();
  }

  /** Keys and subscribed channels that are there now, other than the keys that may stay. */
  async leftovers(): Promise<string[]> {
    const [keys, channels] = await Promise.all([this.keys(), this.channels()]);
    return [...keys.filter((key) => !TOKEN.test(key)), ...channels.map((channel) => `channel ${channel}`)];
  }

  async keys(): Promise<string[]> {
    const keys = await this.redis.keys('*');
    return keys.filter((key) => !COUNTER.test(key) && !isReport(key)).toSorted();
  }

  /** What anybody else listens to; a pattern is not counted by Redis. */
  async channels(): Promise<string[]> {
    const channels = await this.redis.pubsub('CHANNELS', '*');
    return channels.map(String).toSorted();
  }

  /** How many clients listen to a channel. */
  async listeners(channel: string): Promise<number> {
    const [, count] = await this.redis.pubsub('NUMSUB', channel);
    return Number(count);
  }

  close(): void {
    this.redis.disconnect();
    this.#subscriber.disconnect();
  }

  /** A message of our own tells that all before it are here. */
  async #catchUp(): Promise<void> {
    const mark = randomUUID();
    const seen = new Promise<void>((resolve) => this.#marks.set(mark, resolve));
    await this.redis.publish(MARK, mark);
    await seen;
    this.#marks.delete(mark);
  }
}

/** `0 ×2, 1 ×1` */
function tally(payloads: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const payload of payloads) counts.set(payload, (counts.get(payload) ?? 0) + 1);
  return [...counts].map(([payload, count]) => `${payload} ×${count}`).join(', ');
}
