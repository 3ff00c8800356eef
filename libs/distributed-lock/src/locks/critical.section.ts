import { lastingKindOf } from '../work/lasting.kind.js';
import type { LockHandle, UnlockOutcome, UsingOptions, WorkResult } from '../contracts/lock.contract.js';
import { LockLostError } from '../errors/lock.errors.js';
import { LOSSES } from '../errors/loss.reasons.js';
import { awaitLasting, begun } from '../work/lasting.work.js';

/**
 * Runs `work` in the scope of a handle once it is granted, and unlocks when the work has ended: a stream that it gives, or another result
 * that goes on, is given to the caller, and keeps the lock until its own end. The work's own result or error stands: a release that could
 * not be confirmed goes on in the background and is logged there, and a lost lease is told by the signal, or,
 * with `onLost: 'throw'`, by a LockLostError after a work that ended well.
 * @param refused what it comes to when the handle is not granted. @default the error of that
 */
export async function criticalSection<T, H extends LockHandle>(
  granted: Promise<H>,
  work: (handle: H) => WorkResult<T>,
  onLost: UsingOptions['onLost'] = 'signal',
  refused?: (error: unknown) => T | PromiseLike<T>,
): Promise<T> {
  let handle: H;
  try {
    // Waited for in here: a function that follows it would cost two promises more, and as many turns.
    handle = await granted;
  } catch (error) {
    if (refused === undefined) throw error;
    return await refused(error);
  }
  let outcome: UnlockOutcome | undefined;
  let ended: Promise<void> | undefined;
  let result: T;
  try {
    // What runLasting() does, without its promise: every lock comes through here.
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

/** With the remedy of the reason that the handle's signal has, where the loss was known before the release. */
function lossOf({ name, signal }: LockHandle): LockLostError {
  const { reason: known }: { readonly reason: unknown } = signal;
  if (!(known instanceof LockLostError) || known.code === 'RELEASED')
    return LockLostError.of(name, LOSSES.goneAtUnlock);
  const { why } = LOSSES.goneAtUnlock;
  return LockLostError.of(name, { ...known.reason, why: `${why}: ${known.why}` });
}
