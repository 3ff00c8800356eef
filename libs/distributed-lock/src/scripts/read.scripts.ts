import {
  readAcquire,
  readForceRelease,
  readInspect,
  readRelease,
  readRenew,
} from './generated/lua.scripts.js';
import type { AcquireReply, ReleaseReply } from './lock.replies.js';
import { ReadWriteScripts } from './read-write.scripts.js';
import { readRelease as readReleaseReply, type ScriptCaller } from './script.caller.js';

/** Readers that wait are let in together: a release wakes all of them at once, and one call takes as many. */
const READERS_PER_CALL = 100;

/** The read side of a read/write lock. It has room for everybody. */
export class ReadScripts extends ReadWriteScripts {
  constructor(caller: ScriptCaller) {
    super(caller, { forceRelease: readForceRelease, inspect: readInspect, renew: readRenew });
  }

  async acquire(lock: string, holder: string, lease: number, count: number): Promise<AcquireReply> {
    const args = [holder, `${lease}`, `${count}`];
    const reply = await this.caller.call(readAcquire, this.keysOf(lock), args, { perCall: READERS_PER_CALL });
    return this.readAcquire(reply, Infinity);
  }

  /** `released` once this holder reads no more, whoever else still does; the channel is told by the last one. */
  async release(
    lock: string,
    holder: string,
    count: number,
    lease: number,
    channel: string,
  ): Promise<ReleaseReply> {
    const args = [holder, `${count}`, `${lease}`, channel];
    return readReleaseReply(await this.caller.tell(readRelease, [lock], args));
  }
}
