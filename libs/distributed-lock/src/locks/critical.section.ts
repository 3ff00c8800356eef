import { lastingKindOf } from '../work/lasting.work.js';
import type { LockHandle, UnlockOutcome, UsingOptions, WorkResult } from '../contracts/lock.contract.js';
import { LockLostError } from '../errors/lock.errors.js';
import { LOSSES } from '../errors/loss.reasons.js';
import { awaitLasting, begun } from '../work/lasting.work.js';

/**
 * Runs `work` in the scope of a handle once it is granted, and unlocks when the work has ended. A result that goes on, such as a stream, is
 * passed to the caller, and keeps the lock until its own end. The result or error of the work stands: a release that could not be confirmed
 * goes on in the background and is logged there. A lost lease is reported by the signal, or, with `onLost: 'throw'`, by a LockLostError after
 * work that succeeded.
 * @param refused the result when the handle is not granted. @default throws the error of the refusal
 */
export async function criticalSection<T, H extends LockHandle>(
  granted: Promise<H>,
  work: (handle: H) => WorkResult<T>,
  onLost: UsingOptions['onLost'] = 'signal',
  refused?: (error: unknown) => T | PromiseLike<T>,
): Promise<T> {
  let handle: H;
  try {
    // Awaited in this function: a separate function would cost two more promises, and as many microtasks.
    handle = await granted;
  } catch (error) {
    if (refused === undefined) throw error;
    return await refused(error);
  }
  let outcome: UnlockOutcome | undefined;
  let ended: Promise<void> | undefined;
  let result: T;
  try {
    // The same as runLasting(), without its promise: every lock passes through here.
    result = await handle.run(() => begun(work(handle)));
    const kind = lastingKindOf(result);
    if (kind !== undefined)
      ({ result, ended } = await awaitLasting(kind, result, (step) => handle.run(step)));
  } finally {
    try {
      if (ended === undefined) outcome = await handle.unlock();
    } catch {
      outcome = undefined;
    }
  }
  // A release that is not confirmed goes on in the background, as above.
  if (ended !== undefined) void ended.then(() => handle.unlock()).catch(() => undefined);
  if (onLost === 'throw' && outcome === 'lost') throw lossOf(handle);
  return result;
}

/** The error of a lost lease, with the remedy of the signal's reason where the loss was known before the release. */
function lossOf({ name, signal }: LockHandle): LockLostError {
  const { reason: known }: { readonly reason: unknown } = signal;
  if (!(known instanceof LockLostError) || known.code === 'RELEASED')
    return LockLostError.of(name, LOSSES.goneAtUnlock);
  const { why } = LOSSES.goneAtUnlock;
  return LockLostError.of(name, { ...known.reason, why: `${why}: ${known.why}` });
}
