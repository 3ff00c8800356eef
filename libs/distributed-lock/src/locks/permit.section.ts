import type { TakenPermits } from '../contracts/semaphore.contract.js';
import type { HandleWatch } from '../events/handle.watch.js';
import { LockLostError } from '../errors/lock.errors.js';
import { LOSSES } from '../errors/loss.reasons.js';
import type { SemaphoreLine } from './semaphore.line.js';

/** Work that runs under permits of a semaphore, which are given back once. */
export class PermitSection implements TakenPermits {
  /** Epoch ms. */
  readonly since = Date.now();
  #controller: AbortController | undefined;
  #loss: LockLostError | undefined;
  #given: Promise<unknown> | undefined;

  constructor(
    private readonly line: SemaphoreLine,
    readonly permits: number,
    /** Undefined where nobody listens. */
    private readonly watch: HandleWatch | undefined,
  ) {}

  get name(): string {
    return this.line.name;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#loss !== undefined) this.#controller.abort(this.#loss);
    return this.#controller.signal;
  }

  abort(): void {
    this.#loss = LockLostError.of(this.name, LOSSES.shuttingDown);
    this.#controller?.abort(this.#loss);
  }

  /** Resolves when Redis has them, or when they go back in the background. */
  async giveBack(): Promise<void> {
    this.#given ??= this.#giveBack();
    await this.#given;
  }

  #giveBack(): Promise<unknown> {
    const given = this.line.add('release', this.permits);
    this.watch?.unlocking(given.then(() => 'released'));
    return given.catch(() => undefined);
  }
}
