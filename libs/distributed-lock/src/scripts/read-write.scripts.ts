import type { AcquireReply, LockScripts, LockState, ReleaseReply } from './lock.replies.js';
import type { LuaScript } from './lua.script.js';
import { LEASES_PER_CALL } from './reentrant.scripts.js';
import { GRANTS, readRelease, type ScriptCaller } from './script.caller.js';
import { suffixName } from './wire.names.js';

/** The scripts of one side that take the same arguments on both. */
export interface SideScripts {
  readonly release: LuaScript;
  readonly forceRelease: LuaScript;
  readonly inspect: LuaScript;
  readonly renew: LuaScript;
}

/** What both sides of a read/write lock have in common. */
export abstract class ReadWriteScripts implements LockScripts {
  constructor(
    protected readonly caller: ScriptCaller,
    private readonly side: SideScripts,
  ) {}

  abstract acquire(
    lock: string,
    holder: string,
    lease: number,
    count: number,
    wait: number,
  ): Promise<AcquireReply>;

  async release(
    lock: string,
    holder: string,
    count: number,
    lease: number,
    channel: string,
  ): Promise<ReleaseReply> {
    const args = [holder, `${count}`, `${lease}`, channel];
    return readRelease(await this.caller.tell(this.side.release, this.keysToRelease(lock), args));
  }

  /** The keys of the side's release script. */
  protected abstract keysToRelease(lock: string): [string, ...string[]];

  async forceRelease(lock: string, channel: string): Promise<boolean> {
    return (await this.caller.tell(this.side.forceRelease, [lock], [channel])).integer(0) === 1;
  }

  async inspect(lock: string, holder: string): Promise<LockState> {
    const reply = await this.caller.call(this.side.inspect, [lock], [holder]);
    return {
      isLocked: reply.integer(4) === 1,
      ttl: reply.integer(1),
      count: reply.integer(2),
      holder: reply.text(3) || undefined,
    };
  }

  async renew(lock: string, holder: string, lease: number): Promise<number | undefined> {
    const reply = await this.caller.call(this.side.renew, [lock], [holder, `${lease}`], {
      perCall: LEASES_PER_CALL,
      grants: lease > 0 ? GRANTS : undefined,
    });
    return reply.integer(0) === 1 ? reply.integer(1) : undefined;
  }

  /** The lock and, in its slot, the key that names the writer that waits. Java does not know it (wire format D15). */
  protected keysOf(lock: string): [string, string] {
    return [lock, suffixName(lock, 'write_intent')];
  }
}
