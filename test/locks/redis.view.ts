import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { inject } from 'vitest';

/** A lock as Redis has it: holders with their counts, and what is left of the lease in ms. */
export interface LockInRedis {
  readonly counts: Readonly<Record<string, string>>;
  readonly ttl: number;
}

/** Looks at Redis as any other client would, Redisson for one: keys, fields, leases, messages. */
export class RedisView {
  readonly #heard: string[] = [];
  readonly redis: Redis;
  readonly #subscriber: Redis;

  constructor(url = inject('redisUrl')) {
    this.redis = new Redis(url);
    this.#subscriber = new Redis(url);
    this.#subscriber.on('message', (_channel: string, payload: string) => this.#heard.push(payload));
  }

  async lock(key: string): Promise<LockInRedis | undefined> {
    const counts = await this.redis.hgetall(key);
    return Object.keys(counts).length === 0 ? undefined : { counts, ttl: await this.redis.pttl(key) };
  }

  async listen(channel: string): Promise<void> {
    await this.#subscriber.subscribe(channel);
  }

  /** What the channel said since the last call; a message of our own behind the others tells that they are all here. */
  async heard(channel: string): Promise<string[]> {
    const mark = randomUUID();
    await this.redis.publish(channel, mark);
    while (!this.#heard.includes(mark)) await once(this.#subscriber, 'message');
    return this.#heard.splice(0).filter((payload) => payload !== mark);
  }

  /** The names of the connections of a client of that name. */
  async connections(name: string): Promise<string[]> {
    const list = String(await this.redis.client('LIST'));
    return [...list.matchAll(/ name=(\S*) /g)]
      .map(([, found = '']) => found)
      .filter((found) => found.startsWith(name))
      .toSorted();
  }

  close(): void {
    this.redis.disconnect();
    this.#subscriber.disconnect();
  }
}
