import { LockUnavailableError } from '../errors/lock.errors.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import type { Template } from './client.factory.js';
import { ClientLifecycle } from './client.lifecycle.js';
import type { ClientPort } from './client.port.js';
import { CommandConnection } from './command.connection.js';
import { RedisFailure } from './redis.failure.js';
import { SubscriberConnection } from './subscriber.connection.js';

/** How long the first connection may take, in ms. */
const BOOT_TIMEOUT = 5000;

/** A silence of this many command timeouts means that a connection is dead: whoever waits for it has given up before. */
const STALL_FACTOR = 1.5;

/** The two connections of a module instance: one sends scripts, one listens. We made them, so we close them. */
export class ConnectionPair {
  readonly commands: CommandConnection;
  readonly subscriber: SubscriberConnection;

  constructor(
    private readonly template: Template,
    wheel: TimerWheel,
    commandTimeout: number,
  ) {
    const silence = commandTimeout * STALL_FACTOR;
    const open = (purpose: 'commands' | 'subscriber') => {
      // Version 6 types every reply by its mapping; the port says what is used, for both versions.
      const client: ClientPort = template.create(purpose);
      return new ClientLifecycle(client, wheel, commandTimeout);
    };
    const stalled = () => this.#restart();
    this.commands = new CommandConnection(open('commands'), template.isCluster, wheel, silence, stalled);
    this.subscriber = new SubscriberConnection(open('subscriber'), wheel, silence, stalled);
  }

  /**
   * Connects both and waits until they can be used; with `lazyConnect` it does nothing, and the first command connects.
   * @throws LockUnavailableError that names the address and the cause
   */
  async open(): Promise<void> {
    if (this.template.lazy) return;
    try {
      await this.ready();
    } catch (error) {
      const cause = RedisFailure.from(error);
      await this.close();
      throw new LockUnavailableError(
        undefined,
        `Redis at ${this.template.address} could not be reached within ${BOOT_TIMEOUT} ms: ${cause.message}. Set lazyConnect: true in the redis options to start without it.`,
        { cause },
      );
    }
  }

  /** Connects both; it goes on trying after the time is over. @throws RedisFailure when they cannot be used in time */
  async ready(): Promise<void> {
    await Promise.all([
      this.commands.lifecycle.untilReady(BOOT_TIMEOUT),
      this.subscriber.lifecycle.untilReady(BOOT_TIMEOUT),
    ]);
  }

  async close(): Promise<void> {
    await Promise.all([this.commands.lifecycle.close(), this.subscriber.lifecycle.close()]);
  }

  /** What swallows commands swallows messages, too; and a demoted master has no messages to tell. */
  #restart(): void {
    this.commands.lifecycle.restart();
    this.subscriber.lifecycle.restart();
  }
}
