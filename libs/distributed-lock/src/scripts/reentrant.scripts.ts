import {
  reentrantAcquire,
  reentrantForceRelease,
  reentrantInspect,
  reentrantRelease,
  reentrantTransfer,
  renewalRenew,
} from './generated/lua.scripts.js';
import type { AcquireReply, LockScripts, LockState, ReleaseReply, TransferReply } from './lock.replies.js';
import type { ReplyReader } from './reply.reader.js';
import { SharedNumbers } from './shared.numbers.js';
import {
  GRANTING,
  isDone,
  readAcquire,
  readRelease,
  readTransfer,
  TELLING,
  TRANSFERRING,
  type ScriptCaller,
} from './script.caller.js';

/** As Redisson's watchdog has it: up to 100 leases a call (wire format section 4). */
export const LEASES_PER_CALL = 100;

/** A look grants nothing. */
export const LOOKING = { perCall: LEASES_PER_CALL };

export const RENEWING = { ...GRANTING, ...LOOKING };

/** The scripts of the re-entrant lock, typed; the replies' numbers appear here and in the Lua only. */
export class ReentrantScripts implements LockScripts {
  readonly #acquiring = new SharedNumbers(GRANTING);
  readonly #releasing = new SharedNumbers(TELLING);
  readonly #renewing = new SharedNumbers(RENEWING);
  readonly #looking = new SharedNumbers(LOOKING);

  constructor(protected readonly caller: ScriptCaller) {}

  acquire(lock: string, holder: string, lease: number, count: number): Promise<AcquireReply> {
    const read = (reply: ReplyReader) => readAcquire(reply, count);
    return this.caller.call(reentrantAcquire, [lock], [holder], read, this.#acquiring.of(lease, count));
  }

  release(
    lock: string,
    holder: string,
    count: number,
    lease: number,
    channel: string,
  ): Promise<ReleaseReply> {
    const sending = this.#releasing.of(count, lease);
    return this.caller.call(reentrantRelease, [lock], [holder, channel], readRelease, sending);
  }

  transfer(lock: string, from: string, to: string, lease: number): Promise<TransferReply> {
    const args = [from, to, `${lease}`];
    return this.caller.call(reentrantTransfer, [lock], args, readTransfer, TRANSFERRING);
  }

  forceRelease(lock: string, channel: string): Promise<boolean> {
    return this.caller.call(reentrantForceRelease, [lock], [channel], isDone, TELLING);
  }

  inspect(lock: string, holder: string): Promise<LockState> {
    return this.caller.call(reentrantInspect, [lock], [holder], readState);
  }

  renew(lock: string, holder: string, lease: number): Promise<number | undefined> {
    // `1` alone says that it has just the lease.
    const read = (reply: ReplyReader) => (isDone(reply) && reply.size === 1 ? lease : readRenewal(reply));
    const sending = lease > 0 ? this.#renewing.of(lease) : this.#looking.of(lease);
    return this.caller.call(renewalRenew, [lock], [holder], read, sending);
  }
}

/** The rows `{1, ttl}` alive, `{0}` gone. @returns what is left in ms */
export function readRenewal(reply: ReplyReader): number | undefined {
  return isDone(reply) ? reply.integer(1) : undefined;
}

function readState(reply: ReplyReader): LockState {
  const ttl = reply.integer(1);
  return { isLocked: ttl !== -2, ttl, count: reply.integer(2), holder: reply.text(3) || undefined };
}
