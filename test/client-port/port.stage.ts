import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { NodePort } from '../../libs/distributed-lock/src/client-port/client.port.js';
import type { OpenClient } from '../../libs/distributed-lock/src/client-port/open.client.js';
import type { ClientTemplate } from '../../libs/distributed-lock/src/redis-source/client.template.js';
import { ClientLifecycle } from '../../libs/distributed-lock/src/redis/client.lifecycle.js';
import { RedisFailure } from '../../libs/distributed-lock/src/redis/redis.failure.js';
import { SubscriberConnection } from '../../libs/distributed-lock/src/redis/subscriber.connection.js';
import { TimerWheel } from '../../libs/distributed-lock/src/timing/timer.wheel.js';
import type { TcpProxy } from '../support/faults/tcp.proxy.js';
import type { RedisView } from '../locks/redis.view.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';

/** How long a command may take to fail, in ms. */
const LONGEST_FAILURE = 1000;

/** How long a client may take to connect again, in ms. */
const RECONNECT = 3000;

/** One client of an adapter, with a proxy between it and its server. */
export class PortStage {
  readonly wheel = new TimerWheel();
  readonly client: NodePort;
  /** The events of the client, in order. */
  readonly events: string[] = [];
  readonly lifecycle: ClientLifecycle;
  readonly #trouble: OpenClient['trouble'];

  constructor(
    readonly template: ClientTemplate,
    readonly proxy: TcpProxy,
    /** A client of the server itself. */
    readonly view: RedisView,
    /** A key, and a channel, of this test alone. */
    readonly name: string,
  ) {
    const opened = template.open('commands', this.wheel, { warn: () => undefined });
    this.client = opened.client;
    this.#trouble = opened.trouble;
    for (const event of ['connect', 'ready', 'close', 'end'])
      this.client.on(event, () => this.events.push(event));
    this.lifecycle = new ClientLifecycle(opened, this.wheel, scaled(RECONNECT));
  }

  get why(): string {
    return this.#trouble.why;
  }

  async connect(): Promise<void> {
    await this.lifecycle.untilReady(scaled(RECONNECT));
  }

  /** Adds 1 to a counter in Redis. */
  count(): Promise<unknown> {
    const script = "return redis.call('INCR', KEYS[1])";
    return this.template.sendScript(this.client, 'eval', [script, '1', this.name]);
  }

  async counted(): Promise<number> {
    return Number((await this.view.redis.get(this.name)) ?? 0);
  }

  /** Waits until the client has connected again. */
  async reconnected(): Promise<void> {
    await until('the client is ready', () => this.client.status === 'ready', RECONNECT);
  }

  /** Waits until the client has noticed that its connection is away. */
  async unready(): Promise<void> {
    await until('the client notices the loss', () => this.client.status !== 'ready', RECONNECT);
  }

  /** What the library makes of the client for its subscriptions. */
  subscriber(): SubscriberConnection {
    const { lifecycle, wheel } = this;
    return new SubscriberConnection({ lifecycle, wheel, stallTimeout: 5000, stalled: () => undefined });
  }

  /** Waits until messages of a channel reach so many clients. */
  async listeners(channel: string, count = 1): Promise<void> {
    await until(`${count} clients listen`, async () => {
      const [, found] = await this.view.redis.pubsub('NUMSUB', channel);
      return Number(found) === count;
    });
  }

  async close(): Promise<void> {
    await this.lifecycle.close();
    await this.view.redis.del(this.name);
  }
}

/** The failure that a command ends with, as the library sees it. */
export async function failureOf(command: Promise<unknown>): Promise<RedisFailure> {
  const outcome = await Promise.race([
    command.then(
      (reply) => `it got the reply ${String(reply)}`,
      (error: unknown) => RedisFailure.from(error),
    ),
    sleep(scaled(LONGEST_FAILURE), 'it has no outcome'),
  ]);
  expect(outcome).toBeInstanceOf(RedisFailure);
  return outcome as RedisFailure;
}
