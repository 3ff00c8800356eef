/** Why a lock is no longer held, and the remedy for that reason. */
export interface LossReason {
  /** The reason as the message shows it: `Lock "a" is no longer held: <why>.` */
  readonly why: string;
  readonly remedy: string;
  /** @default LOST */
  readonly code?: 'LOST' | 'MAX_HOLD' | 'RELEASED';
}

const STOP = 'Stop writing: another holder may be at work.';

/** Every reason that the library gives. A remedy names leaseTime only if a longer lease would have helped. */
export const LOSSES = {
  leaseOver: {
    why: 'its lease ended',
    remedy: `${STOP} Raise leaseTime, or omit it, so that the watchdog renews the lease.`,
  },
  innerLeaseOver: {
    why: 'the lease of this inner acquisition ended, and the outer acquisition is still held',
    remedy: 'Raise the leaseTime of this acquisition, or omit it.',
  },
  stalled: {
    why: 'its lease ended',
    remedy: `${STOP} The process did not renew it in time: keep the event loop free, or raise lockWatchdogTimeout.`,
  },
  unrenewed: {
    why: 'its lease could not be renewed in time',
    remedy: `${STOP} Check that Redis is up and reachable; a higher lockWatchdogTimeout bridges a longer outage.`,
  },
  unconfirmed: {
    why: 'its lease could not be confirmed',
    remedy:
      'Write nothing until isHeld is true again: the process was blocked or suspended, and Redis has not answered since.',
  },
  gone: {
    why: 'Redis no longer knows this holder: the lease ended, or the lock was unlocked by force',
    remedy: `${STOP} The lease ended before it was renewed: raise leaseTime or lockWatchdogTimeout, or keep the event loop free.`,
  },
  takenAway: {
    why: 'Redis no longer knows this holder, although the lease had not ended',
    remedy: `${STOP} Check for forceUnlock(), the unlock command, a deleted key, or a Redis that lost its data.`,
  },
  goneAtUnlock: {
    why: 'its lease was lost while the work ran',
    remedy: `${STOP} Redis no longer had this hold at the release: the lease had ended, or the lock was unlocked by force.`,
  },
  forced: {
    why: 'it was unlocked by force',
    remedy: `${STOP} This process called forceUnlock(): wait for the lock instead, or stop the holder first.`,
  },
  shuttingDown: {
    why: 'the application is shutting down',
    remedy: 'End the work when its signal aborts; raise shutdownTimeout for work that needs longer.',
  },
  shutDown: {
    why: 'the application has shut down',
    remedy:
      'The signal was aborted at shutdown, but the work continued: stop when it aborts, or raise shutdownTimeout.',
  },
  unlocked: {
    why: 'it was unlocked',
    remedy:
      'Await all work, and consume its result, inside the scope of the lock; or acquire the lock again: a released handle stays released.',
    code: 'RELEASED',
  },
  permitsGivenBack: {
    why: 'its permits were released',
    remedy: 'Await all work, and consume its result, inside using().',
    code: 'RELEASED',
  },
  notGranted: {
    why: 'the acquisition was not completed',
    remedy: 'Acquire the lock again.',
  },
  permitGivenBack: {
    why: 'its permit was released by its id',
    remedy:
      'The id of this permit was passed to tryRelease(): call it after the work has ended, or acquire another permit.',
  },
  semaphoreDeleted: {
    why: 'its semaphore was deleted',
    remedy: 'The semaphore was deleted while permits were held: create it again, and acquire another permit.',
  },
  resigned: {
    why: 'the leader resigned',
    remedy: 'End the work: resign() was called, and another instance leads from now on.',
  },
  leftElection: {
    why: 'the candidate left the election',
    remedy:
      'End the work: stop() was called, or the application is shutting down, and another instance leads from now on.',
  },
  electedFailed: {
    why: 'onElected failed',
    remedy: 'Check the error of onElected in the log. The candidate campaigns again after a pause.',
  },
  lostByTest: {
    why: 'a test called loseLock()',
    remedy: 'The test simulates a lost lock: the work must stop, as after the end of a lease.',
  },
  resetByTest: {
    why: 'a test called reset()',
    remedy: 'Call reset() after the work of the test has ended.',
  },
} as const satisfies Readonly<Record<string, LossReason>>;

/** The hold lasted for longer than the limit that the application set. */
export function overheld(maxHold: number): LossReason {
  return {
    why: `it was held for longer than maxHold (${maxHold} ms)`,
    remedy: 'Make the work shorter, or raise maxHold.',
    code: 'MAX_HOLD',
  };
}

/** Too few locks of a group are held. @param first why the first of them was lost, where that is known */
export function groupLoss(held: string, first: LossReason | undefined, lock: string | undefined): LossReason {
  if (first === undefined || lock === undefined) return { why: held, remedy: LOSSES.gone.remedy };
  return { ...first, why: `${held} (Lock "${lock}" is no longer held: ${first.why})` };
}
