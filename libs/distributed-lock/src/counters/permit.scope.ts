import type { UnlockOutcome, WorkResult } from '../contracts/lock.contract.js';
import type { TakenPermits } from '../contracts/semaphore.contract.js';
import type { HandleWatch } from '../events/handle.watch.js';
import { LockLostError } from '../errors/lock.errors.js';
import { LOSSES } from '../errors/loss.reasons.js';
import type { InScope } from '../holds/hold.scope.js';
import type { AddReply } from '../scripts/semaphore.scripts.js';
import { runLasting } from '../work/lasting.work.js';
import type { LocalSemaphore } from './local.semaphore.js';
import { showAs } from '../objects/object.form.js';
import { machine } from '../timing/machine.js';

/** Work that runs under permits of a semaphore; the permits are given back once. */
export class PermitScope implements TakenPermits {
  static {
    showAs(PermitScope, ({ name, permits }) => ({ type: 'TakenPermits', name, permits }));
  }

  /** Epoch ms. */
  readonly since = machine.global.Date.now();
  readonly #semaphore: LocalSemaphore;
  readonly #watch: HandleWatch | undefined;
  #controller: AbortController | undefined;
  #loss: LockLostError | undefined;
  #givenBack: Promise<unknown> | undefined;

  constructor(
    semaphore: LocalSemaphore,
    readonly permits: number,
    /** Undefined where there are no listeners. */
    watch: HandleWatch | undefined,
  ) {
    this.#semaphore = semaphore;
    this.#watch = watch;
  }

  get name(): string {
    return this.#semaphore.target.name;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#loss !== undefined) this.#controller.abort(this.#loss);
    return this.#controller.signal;
  }

  abort(): void {
    this.#end(LockLostError.of(this.name, LOSSES.shuttingDown));
  }

  /**
   * Runs `work`, and gives the permits back when it has ended.
   * @param handOut receives a result that goes on, such as a stream, before its end
   */
  async run<T>(work: (taken: TakenPermits) => WorkResult<T>, handOut: (result: T) => void): Promise<T> {
    const watch = this.#watch;
    const inScope: InScope = (step) => (watch === undefined ? step() : watch.around(step));
    try {
      const { result, ended } = await runLasting(() => work(this), inScope);
      if (ended !== undefined) handOut(result);
      await ended;
      return result;
    } finally {
      await this.giveBack();
    }
  }

  /** Resolves when Redis has the permits again, or when the release goes on in the background. */
  async giveBack(): Promise<void> {
    this.#end(LockLostError.of(this.name, LOSSES.permitsGivenBack));
    this.#givenBack ??= this.#giveBack();
    await this.#givenBack;
  }

  #end(loss: LockLostError): void {
    this.#loss ??= loss;
    this.#controller?.abort(this.#loss);
  }

  #giveBack(): Promise<unknown> {
    const releasing = this.#semaphore.giveBack(this.permits);
    this.#watch?.unlocking(releasing.then(({ kind }) => this.#released(kind)));
    return releasing.catch(() => undefined);
  }

  #released(kind: AddReply['kind']): UnlockOutcome {
    if (kind === 'none') this.#watch?.lost('its semaphore was deleted, or its time to live was over');
    return 'released';
  }
}
