import type { CountDownLatch } from '../contracts/latch.contract.js';
import type { WaitOptions } from '../contracts/semaphore.contract.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { latchChannel } from '../scripts/wire.names.js';
import { checkCallOptions, checkNumber, readWait } from '../core/call.checks.js';
import type { CounterEngine } from './counter.engine.js';
import { counterTarget, type CounterTarget } from '../core/counter.target.js';
import { leaveOnAbort } from '../waiters/cancellable.wait.js';
import { unavailable } from '../core/unavailable.errors.js';
import { isTimeUp } from '../core/transient.refusal.js';
import { RecordedCalls } from './recorded.calls.js';
import { showAs } from '../objects/object.form.js';

/** The count-down latch (wire format section 10). */
export class NamedLatch implements CountDownLatch {
  static {
    showAs(NamedLatch, ({ name }) => ({ type: 'CountDownLatch', name }));
  }

  readonly #engine: CounterEngine;
  readonly #target: CounterTarget;
  readonly #calls: RecordedCalls;

  /** @throws LockConfigurationError `INVALID_NAME` or `KIND_CONFLICT` */
  constructor(engine: CounterEngine, name: string) {
    this.#engine = engine;
    const key = engine.names.keyOf(name, 'count-down latch');
    // Its channel always has braces of its own (wire format section 10), so that a tag in the name is not its slot.
    if (engine.context.isCluster && key.includes('{')) {
      throw new LockConfigurationError(
        'INVALID_NAME',
        `In a cluster ${JSON.stringify(name).slice(0, 80)} is not a valid latch name: the channel of a latch adds its own braces.`,
        name,
        undefined,
        'Remove the braces from the name of the latch.',
      );
    }
    this.#target = counterTarget(name, key, latchChannel);
    this.#calls = new RecordedCalls(engine.context, this.#target);
  }

  get name(): string {
    return this.#target.name;
  }

  async trySetCount(count: number): Promise<boolean> {
    checkNumber(this.name, 'count', count, [1, Number.MAX_SAFE_INTEGER]);
    return await this.#calls.once((call) => this.#scripts.trySet(this.#target.key, call, count));
  }

  async await(options: WaitOptions = {}): Promise<boolean> {
    const engine = this.#engine;
    checkCallOptions('wait', this.name, options);
    const { waitTime, signal } = readWait(this.name, options, engine.context.settings.waitTime.lock);
    signal?.throwIfAborted();
    const nested = engine.enter(this.name);
    if (waitTime === 0) return (await leaveOnAbort(this.getCount(), signal, () => undefined)) === 0;
    try {
      await engine.latches
        .getOrCreate(this.#target)
        .waiters.wait({ waitTime, signal, nested, leaseTime: undefined });
      return true;
    } catch (error) {
      if (isTimeUp(error, this.name)) return false;
      throw error;
    }
  }

  async countDown(): Promise<void> {
    await this.#calls.retry('countdown', (call, callback) =>
      this.#scripts.countDown(this.#target.key, call, callback),
    );
  }

  async getCount(): Promise<number> {
    try {
      return await this.#scripts.count(this.#target.key);
    } catch (error) {
      throw unavailable(this.name, error);
    }
  }

  async delete(): Promise<boolean> {
    try {
      return await this.#scripts.delete(this.#target.key);
    } catch (error) {
      throw unavailable(this.name, error);
    }
  }

  get #scripts() {
    return this.#engine.context.counters.latch;
  }
}
