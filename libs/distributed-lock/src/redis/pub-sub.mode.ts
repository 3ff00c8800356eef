import type { TimerWheel } from '../timing/timer.wheel.js';
import type { ClientLifecycle } from './client.lifecycle.js';
import type { ClientPort } from '../client-port/client.port.js';
import { RedisFailure } from './redis.failure.js';

/** Pause before the request to the next node, in ms. */
const DETECTION_PAUSE = 100;

/** The values of the option `pubsub`. */
export type PubSubOption = 'auto' | 'sharded' | 'classic';

/**
 * Whether channels are sharded, by the same rule as in Redisson: in a cluster whose servers know sharded channels, and
 * nowhere else. The two kinds of channels are separate, so every client of a lock has to choose the same.
 */
export class PubSubMode {
  #isSharded: boolean | undefined;
  readonly #known: (() => void)[] = [];
  #isDetecting = false;

  constructor(isCluster: boolean, option: PubSubOption) {
    if (!isCluster || option !== 'auto') this.#isSharded = isCluster && option === 'sharded';
  }

  get isKnown(): boolean {
    return this.#isSharded !== undefined;
  }

  get isSharded(): boolean {
    return this.#isSharded === true;
  }

  /** Calls `listener` once the mode is known; at once, if it is already known. */
  whenKnown(listener: () => void): void {
    if (this.isKnown) listener();
    else this.#known.push(listener);
  }

  /**
   * Sends a request to the nodes of a reachable cluster, one after another, until one has answered or the connection is away.
   * @param timeout with one node, in ms
   */
  async detect(lifecycle: ClientLifecycle, wheel: TimerWheel, timeout: number): Promise<void> {
    if (this.#isDetecting) return;
    this.#isDetecting = true;
    while (!this.isKnown && lifecycle.isReady) {
      this.#isSharded ??= await wheel.within(timeout, hasShardedPubSub(lifecycle.client));
      if (!this.isKnown) await wheel.pause(DETECTION_PAUSE);
    }
    this.#isDetecting = false;
    if (this.isKnown) for (const listener of this.#known.splice(0)) listener();
  }
}

async function hasShardedPubSub(client: ClientPort): Promise<boolean | undefined> {
  try {
    await client.pubsub('SHARDNUMSUB');
    return true;
  } catch (error) {
    // An error reply: the servers are older than Redis 7, or the user lacks the permission. Redisson takes both for a "no".
    const { kind, isTransient } = RedisFailure.from(error);
    return kind === 'refused' && !isTransient ? false : undefined;
  }
}
