/** Why a lock is not held any more, and what its reader can do about that reason. */
export interface LossReason {
  /** As it stands in the message: `Lock "a" is no longer held: <why>.` */
  readonly why: string;
  readonly remedy: string;
  /** @default LOST */
  readonly code?: 'LOST' | 'MAX_HOLD' | 'RELEASED';
}

const STOP = 'Stop writing: another holder may be at work.';

/** Every reason that the library gives. A lease is only named where a longer one would have helped. */
export const LOSSES = {
  leaseOver: {
    why: 'its lease was over',
    remedy: `${STOP} Raise leaseTime, or leave it out: then the watchdog renews the lease.`,
  },
  innerLeaseOver: {
    why: 'its own lease was over, inside a hold that goes on',
    remedy: 'Raise the leaseTime of this acquisition, or leave it out.',
  },
  stalled: {
    why: 'its lease was over',
    remedy: `${STOP} The process did not renew it in time: keep the event loop free, or raise lockWatchdogTimeout.`,
  },
  unrenewed: {
    why: 'it could not be renewed in time',
    remedy: `${STOP} Check that Redis is up and can be reached; a higher lockWatchdogTimeout outlives a longer outage.`,
  },
  unconfirmed: {
    why: 'its lease could not be confirmed',
    remedy:
      'Write nothing until isHeld is true again: the process stood still, and Redis has not answered since.',
  },
  gone: {
    why: 'Redis says that the holder has nothing: the lease ended, or it was unlocked by force',
    remedy: `${STOP} The lease ended before it was renewed: raise leaseTime or lockWatchdogTimeout, or keep the event loop free.`,
  },
  takenAway: {
    why: 'Redis says that the holder has nothing: the lease ended, or it was unlocked by force',
    remedy: `${STOP} Its lease was not over yet: look for forceUnlock(), the unlock command, a deleted key, or a Redis that lost its data.`,
  },
  goneAtUnlock: {
    why: 'its lease was lost while the work ran',
    remedy: `${STOP} Redis did not have the lock at its release: its lease had ended, or it was unlocked by force.`,
  },
  forced: {
    why: 'it was unlocked by force',
    remedy: `${STOP} This process called forceUnlock(): let it wait for the lock instead, or stop the holder first.`,
  },
  shuttingDown: {
    why: 'the application is shutting down',
    remedy: 'End the work when its signal aborts; raise shutdownTimeout for work that needs longer.',
  },
  shutDown: {
    why: 'the application has shut down',
    remedy:
      'End the work when its signal aborts, which it did before; raise shutdownTimeout for work that needs longer.',
  },
  unlocked: {
    why: 'it was unlocked',
    remedy:
      'Await all work inside the scope of the lock, and read there what it gives; or take the lock again: a handle is of no use after its release.',
    code: 'RELEASED',
  },
  permitsGivenBack: {
    why: 'its permits were given back',
    remedy: 'Await all work inside of using(), and read there what it gives.',
    code: 'RELEASED',
  },
  notGranted: {
    why: 'it was not granted',
    remedy: 'Take the lock again.',
  },
  permitGivenBack: {
    why: 'its permit was given back by its id',
    remedy: 'A call of tryRelease() had its id: let that caller wait for the work, or acquire a permit anew.',
  },
  semaphoreDeleted: {
    why: 'its semaphore was deleted',
    remedy:
      'A call of delete() came while permits were taken: create the semaphore, and acquire a permit anew.',
  },
  resigned: {
    why: 'it resigned',
    remedy: 'End the work: resign() was called, and another instance leads from now on.',
  },
  leftElection: {
    why: 'it left the election',
    remedy:
      'End the work: stop() was called, or the application shuts down, and another instance leads from now on.',
  },
  electedFailed: {
    why: 'onElected failed',
    remedy: 'Look at the error of onElected in the log; the candidate stands again after a pause.',
  },
  lostByTest: {
    why: 'a test took it away, with loseLock()',
    remedy: 'The test asked for it: the work is to stop, as it has to when a lease ends.',
  },
  resetByTest: {
    why: 'a test began anew, with reset()',
    remedy: 'Let the work of one test end before reset() begins the next one.',
  },
} as const satisfies Readonly<Record<string, LossReason>>;

/** The hold lasted for longer than the bound that the application has set. */
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
