import { LockLostError } from '../errors/lock.errors.js';
import { LOSSES } from '../errors/loss.reasons.js';
import { now } from '../timing/monotonic.clock.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import { shuttingDown } from '../core/unavailable.errors.js';
import type { LockEngine } from './lock.engine.js';

/** Time for aborted work to release its locks, in ms. */
export const LET_GO = 1000;

/**
 * Waits for the running work, then aborts it, then frees the locks that are still held. Locks are renewed until the last moment: no other
 * process may acquire one while work of this process is running. What changes permits and latches, which have no lease, is repeated for as long
 * as work may go on.
 * @param left how long the work may go on, in ms
 */
export async function shutDown(engine: LockEngine, left: number): Promise<void> {
  const { context } = engine;
  const { settings, wheel, backgroundRelease } = context;
  const until = now() + left;
  engine.refuseNewcomers();
  if (!(await isDoneWithin(left, engine.idle(), wheel))) {
    for (const { holds, target } of engine.localLocks.values())
      for (const hold of holds) hold.abort(LockLostError.of(target.name, LOSSES.shuttingDown));
    engine.counters.abort();
    await isDoneWithin(LET_GO, engine.idle(), wheel);
  }
  engine.counters.end();
  for (const { holds, target, existingWaiters } of engine.localLocks.values()) {
    existingWaiters?.refuse(() => shuttingDown(target.name));
    for (const hold of holds) {
      const { ownRelease, lease } = hold;
      const release = ownRelease?.giveUp();
      hold.lose(LOSSES.shutDown);
      if (release === undefined)
        void backgroundRelease.release({ target, holder: lease.holder, lease: lease.longestTtl });
      else void backgroundRelease.retry(release, lease.longestTtl);
    }
  }
  const settled = Promise.all([engine.idle(), backgroundRelease.idle()]).then(() => backgroundRelease.idle());
  await isDoneWithin(settings.commandTimeout, settled, wheel);
  // A lock ends with its lease; permits that are not given back are lost for good.
  await isDoneWithin(Math.max(0, until - now()), backgroundRelease.idleWithoutLease(), wheel);
  const hasLeft = Promise.all([engine.places.end(), engine.counters.places.end()]).then(() => undefined);
  await isDoneWithin(settings.commandTimeout, hasLeft, wheel);
  backgroundRelease.end();
}

/** Leaves no timer behind: a timer would keep the process alive. @returns whether `done` settled in time, `delay` ms */
export async function isDoneWithin(delay: number, done: Promise<void>, wheel: TimerWheel): Promise<boolean> {
  return (
    (await wheel.within(
      delay,
      done.then(() => true),
    )) === true
  );
}
