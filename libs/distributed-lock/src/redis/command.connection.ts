import type { TimerWheel } from '../timing/timer.wheel.js';
import type { ClientLifecycle } from './client.lifecycle.js';
import { slotOf } from './key.slot.js';
import { RedisFailure } from './redis.failure.js';
import { StallGuard } from './stall.guard.js';

/** The connection that scripts are sent on. A command is sent at most once, and never queued here. */
export class CommandConnection {
  readonly #guard: StallGuard;

  constructor(
    readonly lifecycle: ClientLifecycle,
    private readonly isCluster: boolean,
    wheel: TimerWheel,
    silence: number,
    stalled: () => void,
  ) {
    this.#guard = new StallGuard(wheel, silence, stalled);
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
