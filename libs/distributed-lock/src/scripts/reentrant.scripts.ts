import {
  reentrantAcquire,
  reentrantForceRelease,
  reentrantInspect,
  reentrantRelease,
  reentrantTransfer,
  renewalRenew,
} from './generated/lua.scripts.js';
import type { AcquireReply, LockScripts, LockState, ReleaseReply, TransferReply } from './lock.replies.js';
import { GRANTS, readAcquire, readRelease, readTransfer, type ScriptCaller } from './script.caller.js';

/** As Redisson's watchdog has it: up to 100 leases a call (wire format section 4). */
export const LEASES_PER_CALL = 100;

/** The scripts of the re-entrant lock, typed; the replies' numbers appear here and in the Lua only. */
export class ReentrantScripts implements LockScripts {
  constructor(protected readonly caller: ScriptCaller) {}

  async acquire(lock: string, holder: string, lease: number, count: number): Promise<AcquireReply> {
    return readAcquire(await this.caller.grant(reentrantAcquire, [lock], [holder, `${lease}`, `${count}`]));
  }

  async release(
    lock: string,
    holder: string,
    count: number,
    lease: number,
    channel: string,
  ): Promise<ReleaseReply> {
    const args = [holder, `${count}`, `${lease}`, channel];
    return readRelease(await this.caller.tell(reentrantRelease, [lock], args));
  }

  async transfer(lock: string, from: string, to: string, lease: number): Promise<TransferReply> {
    return readTransfer(await this.caller.transfer(reentrantTransfer, [lock], [from, to, `${lease}`]));
  }

  async forceRelease(lock: string, channel: string): Promise<boolean> {
    return (await this.caller.tell(reentrantForceRelease, [lock], [channel])).integer(0) === 1;
  }

  async inspect(lock: string, holder: string): Promise<LockState> {
    const reply = await this.caller.call(reentrantInspect, [lock], [holder]);
    const ttl = reply.integer(1);
    return { isLocked: ttl !== -2, ttl, count: reply.integer(2), holder: reply.text(3) || undefined };
  }

  async renew(lock: string, holder: string, lease: number): Promise<number | undefined> {
    const reply = await this.caller.call(renewalRenew, [lock], [holder, `${lease}`], {
      perCall: LEASES_PER_CALL,
      grants: lease > 0 ? GRANTS : undefined,
    });
    return reply.integer(0) === 1 ? reply.integer(1) : undefined;
  }
}
