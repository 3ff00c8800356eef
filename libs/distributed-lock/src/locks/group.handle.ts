import type { Duration } from '../contracts/duration.js';
import type { CurrentLock, LockHandleJson, UnlockOutcome } from '../contracts/lock.contract.js';
import { LockLostError } from '../errors/lock.errors.js';
import type { Grant } from './grant.js';

/** The first `needed` answers, or all there are where fewer were asked; rejects with the first error when too many failed. */
function enough<T>(asked: readonly Promise<T>[], needed: number): Promise<T[]> {
  const answers: T[] = [];
  const count = Math.min(needed, asked.length);
  return new Promise((resolve, reject) => {
    if (count === 0) resolve(answers);
    let failures = 0;
    for (const each of asked) {
      each.then(
        (answer) => {
          if (answers.push(answer) === count) resolve(answers);
        },
        (error: unknown) => {
          failures += 1;
          if (asked.length - failures < count) reject(error);
        },
      );
    }
  });
}

/** Several grants in one hand. It is held for as long as `needed` of them are. */
export class GroupHandle implements CurrentLock {
  readonly token = undefined;
  readonly tick = undefined;
  readonly attempt = undefined;
  #controller: AbortController | undefined;
  #unlocking: Promise<UnlockOutcome> | undefined;

  constructor(
    readonly name: string,
    private readonly members: Grant[],
    private readonly needed: number,
  ) {}

  get holder(): string {
    return this.members.map(({ holder }) => holder).join(' ');
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      for (const member of this.members) this.#listen(member, this.#controller);
    }
    return this.#controller.signal;
  }

  get isHeld(): boolean {
    return this.#unlocking === undefined && this.#count(({ isHeld }) => isHeld) >= this.needed;
  }

  assertHeld(): void {
    if (this.isHeld) return;
    if (this.#unlocking !== undefined) throw new LockLostError(this.name, 'it was unlocked');
    throw this.#loss();
  }

  /** One more of its members was granted, after there were enough. */
  join(member: Grant): void {
    this.members.push(member);
    if (this.#controller !== undefined) this.#listen(member, this.#controller);
  }

  /** Whether late members may still join. */
  get isOpen(): boolean {
    return this.#unlocking === undefined;
  }

  async extend(leaseTime: Duration): Promise<boolean> {
    const asked = await Promise.allSettled(this.members.map((member) => member.extend(leaseTime)));
    const extended = asked.filter((answer) => answer.status === 'fulfilled' && answer.value).length;
    if (extended >= this.needed) return true;
    const failed = asked.find((answer) => answer.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return false;
  }

  unlock(): Promise<UnlockOutcome> {
    return (this.#unlocking ??= this.#unlock());
  }

  /** Opens the scope of every member, so that each may be re-entered. */
  run<T>(work: () => T): T {
    const enter = this.members.reduce<() => T>(
      (inner, member) => () => member.runAs(this, inner),
      () => work(),
    );
    return enter();
  }

  toJSON(): LockHandleJson {
    return { name: this.name, holder: this.holder, isHeld: this.isHeld };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Throwing here would hide the error of the block; each member tells the log, and goes on releasing in the background.
    await this.unlock().catch(() => undefined);
  }

  /** Every member is released, whatever becomes of the others; enough of them decide, the rest goes on in the background. */
  async #unlock(): Promise<UnlockOutcome> {
    const wasHeld = this.#count(({ isHeld }) => isHeld) >= this.needed;
    const outcomes = await enough(
      this.members.map((member) => member.unlock()),
      this.needed,
    );
    if (!wasHeld) return 'lost';
    return outcomes.includes('kept') ? 'kept' : 'released';
  }

  #listen(member: Grant, controller: AbortController): void {
    const check = () => {
      if (this.#count(({ signal }) => !signal.aborted) < this.needed) controller.abort(this.#loss());
    };
    if (member.signal.aborted) check();
    else member.signal.addEventListener('abort', check, { once: true });
  }

  #loss(): LockLostError {
    const first = this.members.find(({ loss }) => loss !== undefined)?.loss;
    const held = this.#count(({ isHeld }) => isHeld);
    return new LockLostError(
      this.name,
      `${held} of its ${this.members.length} locks are held, of ${this.needed} needed${first === undefined ? '' : ` (${first.message})`}`,
    );
  }

  #count(matches: (member: Grant) => boolean): number {
    return this.members.filter(matches).length;
  }
}
