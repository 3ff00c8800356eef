import { now } from '../timing/monotonic.clock.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import type { ClientLifecycle } from './client.lifecycle.js';
import { slotOf } from './key.slot.js';
import { RedisFailure } from './redis.failure.js';
import { StallGuard } from './stall.guard.js';

/** The connection that scripts are sent on. A command is sent at most once, and never queued here. */
export class CommandConnection {
  readonly #guard: StallGuard;
  #demotedAt = -Infinity;

  constructor(
    readonly lifecycle: ClientLifecycle,
    private readonly isCluster: boolean,
    wheel: TimerWheel,
    private readonly silence: number,
    private readonly restart: () => void,
  ) {
    this.#guard = new StallGuard(wheel, silence, restart);
  }

  get isReady(): boolean {
    return this.lifecycle.isReady;
  }

  /** Keys of one group can travel in one script: all of them, or those of a slot. */
  groupOf(key: string): number {
    return this.isCluster ? slotOf(key) : 0;
  }

  evalsha(sha1: string, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    return this.#send(this.lifecycle.client.evalsha(sha1, keys.length, ...keys, ...args));
  }

  eval(text: string, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    return this.#send(this.lifecycle.client.eval(text, keys.length, ...keys, ...args));
  }

  /** A master that has become a replica, and can still be reached: the name or the sentinels may lead to the new one by now. */
  demoted(): void {
    if (now() - this.#demotedAt < this.silence) return;
    this.#demotedAt = now();
    this.restart();
  }

  async #send(reply: Promise<unknown>): Promise<unknown> {
    this.#guard.expect();
    try {
      return await reply;
    } catch (error) {
      throw RedisFailure.from(error);
    } finally {
      this.#guard.progress();
    }
  }
}
