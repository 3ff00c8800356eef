import { lastingKindOf } from '../work/lasting.work.js';
import type { ElectionCallbacks } from '../contracts/election.contract.js';
import type { LockHandle, WorkResult } from '../contracts/lock.contract.js';
import { LockLostError } from '../errors/lock.errors.js';
import { LOSSES, type LossReason } from '../errors/loss.reasons.js';
import { isUnder } from '../holds/hold.scope.js';
import { awaitLasting, begun, runToEnd, type LastingResult } from '../work/lasting.work.js';
import type { HoldHandle } from '../holds/handle.js';
import type { LockContext } from '../core/lock.context.js';

/** The part of the candidate that its leadership uses. */
export interface Leader {
  readonly callbacks: ElectionCallbacks;
  /** Runs a callback in the async context of the caller that passed it. */
  readonly inCaller: <T>(run: () => T) => T;
}

/** One leadership: from the grant until the lock is given back, or lost, and the leader's work has ended. */
export class Leadership {
  readonly #working = new Set<Promise<unknown>>();
  #service: Promise<void> | undefined;
  #why = 'the lease was lost';
  #hasFailed = false;

  constructor(
    private readonly context: Pick<LockContext, 'notices' | 'settings' | 'wheel'>,
    private readonly handle: HoldHandle,
    private readonly leader: Leader,
  ) {}

  /** Whether it can be relied on, at this very instant. */
  get isCurrent(): boolean {
    return this.handle.isHeld && !this.handle.isAborted;
  }

  get token(): bigint | undefined {
    return this.handle.token;
  }

  /** Whether `onElected` failed. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Whether the caller is the leader's own work. */
  get isAround(): boolean {
    return isUnder(this.handle);
  }

  /** Starts it, at the first call. Resolves when the lock is given back, or lost; never rejects. */
  serve(): Promise<void> {
    return (this.#service ??= this.#last());
  }

  /** Runs `work` in the scope of the leader's lock, which is not given back before it has ended. */
  async run<T>(work: (handle: LockHandle) => WorkResult<T>): Promise<T> {
    const running = this.#run(work);
    const ended: Promise<unknown> = running
      .then((lasting) => lasting.ended)
      .catch(() => undefined)
      .then(() => this.#working.delete(ended));
    this.#working.add(ended);
    return (await running).result;
  }

  /** Aborts the leader's work, and gives the lock back as soon as that work has ended. */
  end(reason: LossReason): void {
    if (this.handle.isAborted) return;
    this.#why = reason.why;
    this.handle.abort(LockLostError.of(this.handle.name, reason));
  }

  /** Resolves when none of the leader's work runs any more. */
  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working);
  }

  async #run<T>(work: (handle: LockHandle) => WorkResult<T>): Promise<LastingResult<T>> {
    const result = await this.handle.run(() => begun(work(this.handle)));
    const kind = lastingKindOf(result);
    if (kind === undefined) return { result, ended: undefined };
    return await awaitLasting(kind, result, (step) => this.handle.run(step));
  }

  async #last(): Promise<void> {
    const { signal, name: lock, token } = this.handle;
    const { notices, settings, wheel } = this.context;
    const { onElected, onRevoked } = this.leader.callbacks;
    const { shutdownTimeout: waited } = settings;
    notices.post({ kind: 'elected', lock, token });
    void this.#call('onElected', () => onElected?.(signal, token ?? 0n));
    const reason = await abortOf(signal);
    notices.post({ kind: 'revoked', lock, why: this.#why });
    void this.#call('onRevoked', () => onRevoked?.(reason));
    // Until then no other candidate leads, for the lock is renewed as before.
    const ended = await wheel.within(
      waited,
      this.idle().then(() => true),
    );
    if (ended === undefined) notices.post({ kind: 'leader-lingers', lock, waited });
    // A release that was not confirmed is logged by its hold, and goes on in the background.
    await this.handle.unlock().catch(() => undefined);
  }

  async #call(callback: keyof ElectionCallbacks, run: () => unknown): Promise<void> {
    try {
      await this.leader.inCaller(() => this.run(() => runToEnd(run())));
    } catch (error) {
      const { name: lock, isAborted, signal } = this.handle;
      if (isAborted && isAbort(error, signal)) return;
      this.context.notices.post({ kind: 'callback-failed', lock, callback, error });
      if (isAborted) return;
      this.#hasFailed = true;
      this.end(LOSSES.electedFailed);
    }
  }
}

/** Whether work ended because its signal aborted: with the signal's reason, or as Node's own functions do. */
function isAbort(error: unknown, { reason }: AbortSignal): boolean {
  return error === reason || (error instanceof Error && error.name === 'AbortError');
}

function abortOf(signal: AbortSignal): Promise<Error> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason);
    signal.addEventListener('abort', () => resolve(signal.reason), { once: true });
  });
}
