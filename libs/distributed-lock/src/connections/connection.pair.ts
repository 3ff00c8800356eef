import { LockUnavailableError } from '../errors/lock.errors.js';
import { remedyForOptions } from '../errors/redis.refusals.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import type { ClientPort } from '../client-port/client.port.js';
import type { ClusterMap, NodeKey } from '../client-port/cluster.map.js';
import type { HandshakeWarning, WarningListener } from '../client-port/connection.warning.js';
import type { ConnectionWatch, OpenClient } from '../client-port/open.client.js';
import type { ClientTemplate } from '../redis-source/client.template.js';
import { ClientLifecycle } from '../redis/client.lifecycle.js';
import { ClusterSubscriber } from '../cluster/cluster.subscriber.js';
import { CommandConnection } from './command.connection.js';
import type { Backend } from './backend.contract.js';
import { PubSubMode, type PubSubOption } from '../redis/pub-sub.mode.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { ReplicaAcks } from '../cluster/replica.acks.js';
import { SubscriberConnection } from '../redis/subscriber.connection.js';
import type { Subscriber } from '../redis/subscriber.contract.js';

/** How long the first connection may take, in ms. */
const BOOT_TIMEOUT = 5000;

/** After a silence of this many command timeouts a connection counts as dead: every caller that waits for it has given up before. */
const STALL_FACTOR = 1.5;

/** What a {@link ConnectionPair} is made of. */
interface ConnectionPairParts {
  readonly template: ClientTemplate;
  readonly wheel: TimerWheel;
  /** The deadline of one round trip, in ms. */
  readonly commandTimeout: number;
  /** @default 'auto' */
  readonly pubsub?: PubSubOption;
  /** Undefined where no replicas have to acknowledge. */
  readonly acks?: ReplicaAcks | undefined;
  /** Called once for each warning. */
  readonly warn?: WarningListener;
}

/**
 * The two connections of a module instance: one sends scripts, one subscribes; in a cluster two for each node. The library made
 * them, so the library closes them.
 */
export class ConnectionPair implements Backend {
  readonly commands: CommandConnection;
  readonly subscriber: Subscriber;
  readonly mode: PubSubMode;
  readonly #stallTimeout: number;
  readonly #map: ClusterMap | undefined;
  readonly #warnings = new Set<string>();
  readonly #watch: ConnectionWatch = { warn: (warning, why) => this.#warnOnce(warning, why) };

  constructor(private readonly parts: ConnectionPairParts) {
    const { template, wheel, pubsub = 'auto', acks } = parts;
    this.#stallTimeout = parts.commandTimeout * STALL_FACTOR;
    this.mode = new PubSubMode(template.isCluster, pubsub);
    const opened = template.isCluster
      ? template.openCluster(wheel, this.#watch)
      : template.open('commands', wheel, this.#watch);
    this.#map = 'map' in opened ? opened.map : undefined;
    this.commands = new CommandConnection({
      lifecycle: this.#follow(opened),
      mode: this.mode,
      wheel,
      stallTimeout: this.#stallTimeout,
      restart: () => this.#restart(),
      map: this.#map,
      sendScript: template.sendScript,
      acked: acks && { acks, server: 'map' in opened ? undefined : opened.client },
    });
    this.subscriber = this.#listen(this.#map);
  }

  get keyPrefix(): string {
    return this.parts.template.keyPrefix;
  }

  get isCluster(): boolean {
    return this.parts.template.isCluster;
  }

  /** Whether PUBLISH counts the receivers of the whole fleet: not in a cluster where each node counts its own. */
  get countsAllReceivers(): boolean {
    return !this.parts.template.isCluster || this.mode.isSharded;
  }

  /**
   * Connects both and waits until they are ready; with `lazyConnect` it does nothing, and the first command connects.
   * @throws LockUnavailableError that names the address and the cause
   */
  async open(): Promise<void> {
    if (this.parts.template.lazy) return;
    try {
      await this.ready();
    } catch (error) {
      const cause = RedisFailure.from(error);
      const { isMismatch, isRefusal } = this.commands.lifecycle.trouble;
      await this.close();
      const { address } = this.parts.template;
      const why = cause.message.replace(/\.$/, '');
      const problem = isMismatch
        ? 'does not match the redis options'
        : `could not be reached within ${BOOT_TIMEOUT} ms`;
      // A server that refuses the options does not accept them later either.
      const lazily = ` ${this.parts.template.lazyRemedy}`;
      throw new LockUnavailableError(
        undefined,
        `Redis at ${address} ${problem}: ${why}.${isRefusal ? '' : lazily}`,
        { cause },
        'UNAVAILABLE',
        isRefusal ? remedyForOptions(why) : undefined,
      );
    }
  }

  /** Connects both; the attempts go on after the time is over. @throws RedisFailure when they are not ready in time */
  async ready(): Promise<void> {
    const commands = this.commands.lifecycle.untilReady(BOOT_TIMEOUT);
    if (this.#map !== undefined) {
      // The answers to its commands show where a cluster's channels are.
      await commands;
      // Its cluster replaces a node that stands still.
      await this.parts.wheel.within(this.parts.commandTimeout, this.#map.connectMasters());
    }
    await Promise.all([commands, this.subscriber.untilReady(BOOT_TIMEOUT)]);
  }

  async close(): Promise<void> {
    await Promise.all([this.commands.close(), this.subscriber.close()]);
  }

  #listen(map: ClusterMap | undefined): Subscriber {
    const { template, wheel } = this.parts;
    if (map === undefined) {
      const lifecycle = this.#follow(template.open('subscriber', wheel, this.#watch));
      const stalled = () => this.#restart();
      return new SubscriberConnection({ lifecycle, wheel, stallTimeout: this.#stallTimeout, stalled });
    }
    const connect = (node: NodeKey) => {
      const opened = map.connectSubscriber(node);
      if (opened === undefined) return undefined;
      const lifecycle = this.#follow(opened);
      const { isSharded } = this.mode;
      const stalled = () => lifecycle.restart();
      return new SubscriberConnection({
        lifecycle,
        wheel,
        stallTimeout: this.#stallTimeout,
        stalled,
        isSharded,
      });
    };
    const start = () => this.commands.lifecycle.start();
    return new ClusterSubscriber({ map, mode: this.mode, wheel, connect, start });
  }

  #follow(opened: OpenClient<ClientPort>): ClientLifecycle {
    const { template, wheel, commandTimeout } = this.parts;
    return new ClientLifecycle(opened, wheel, commandTimeout, template.address);
  }

  /** Reports each reason once: two connections, and each of their attempts, give the same one. */
  #warnOnce(warning: HandshakeWarning, why: string): void {
    const text = `${warning} ${why}`;
    if (this.#warnings.has(text)) return;
    this.#warnings.add(text);
    this.parts.warn?.(warning, why);
  }

  /** A connection that swallows commands swallows messages, too; and a demoted master publishes no messages. */
  #restart(): void {
    this.commands.lifecycle.restart();
    this.subscriber.restart();
  }
}
