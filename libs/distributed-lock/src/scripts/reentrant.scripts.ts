import {
  reentrantAcquire,
  reentrantForceRelease,
  reentrantInspect,
  reentrantRelease,
  reentrantTransfer,
  renewalRenew,
} from './generated/lua.scripts.js';
import type {
  AcquireCommand,
  AcquireReply,
  LockScripts,
  LockState,
  ReleaseCommand,
  ReleaseReply,
  TransferCommand,
  TransferReply,
} from '../replies/lock.replies.js';
import type { ReplyCallback } from '../replies/reply.callback.js';
import type { ReplyReader } from '../replies/reply.reader.js';
import { suffixName } from './wire.names.js';
import { SharedNumbers } from '../script-runner/shared.numbers.js';
import { isDone, readAcquire, readRelease, readTransfer } from '../replies/reply.reader.js';
import { SHORT_LEASE } from './process-queue.scripts.js';
import type { ScriptRunner } from '../script-runner/script.runner.js';
import { GRANTING, PUBLISHING, TRANSFERRING } from '../script-runner/sending.js';

/** The same number as in Redisson's watchdog: up to 100 leases a call (wire format section 4). */
export const LEASES_PER_CALL = 100;

/** A check grants nothing. */
export const CHECKING = { perCall: LEASES_PER_CALL };

export const RENEWING = { ...GRANTING, ...CHECKING };

/** The scripts of the re-entrant lock, typed; the replies' numbers appear here and in the Lua only. */
export class ReentrantScripts implements LockScripts {
  readonly #acquiring = new SharedNumbers(GRANTING);
  readonly #releasing = new SharedNumbers(PUBLISHING);
  /** The keys of the last lock, which is often released next. */
  #keys: readonly [string, string] = ['', ''];
  /** The last renewal: most leases are renewed to the same length. */
  #renewal = LEASE_CHECK;

  /** @param hasQueue whether its processes wait in a queue; false for scripts that use the key of the lock alone */
  constructor(
    protected readonly runner: ScriptRunner,
    private readonly hasQueue = true,
  ) {}

  acquire({ key, holder, lease, count, wait }: AcquireCommand, callback: ReplyCallback<AcquireReply>): void {
    const read = (reply: ReplyReader) => readAcquire(reply, count);
    this.runner.send(
      {
        script: reentrantAcquire,
        keys: this.keysOf(key),
        args: [holder],
        read,
        sending: this.#acquiring.of(lease, count, wait > 0 ? 1 : 0),
      },
      callback,
    );
  }

  release(
    { key, holder, count, lease, channel }: ReleaseCommand,
    callback: ReplyCallback<ReleaseReply>,
  ): void {
    const sending = this.#releasing.of(count, count === 0 ? SHORT_LEASE : lease);
    this.runner.send(
      {
        script: reentrantRelease,
        keys: this.keysOf(key),
        args: [holder, channel],
        read: readRelease,
        sending,
      },
      callback,
    );
  }

  transfer({ key, from, to, lease, channel }: TransferCommand): Promise<TransferReply> {
    const args = [from, to, `${lease}`, channel];
    return this.runner.run({
      script: reentrantTransfer,
      keys: [key],
      args,
      read: readTransfer,
      sending: TRANSFERRING,
    });
  }

  forceRelease(key: string, channel: string): Promise<boolean> {
    return this.runner.run({
      script: reentrantForceRelease,
      keys: this.keysOf(key),
      args: [channel],
      read: isDone,
      sending: PUBLISHING,
    });
  }

  inspect(key: string, holder: string): Promise<LockState> {
    return this.runner.run({ script: reentrantInspect, keys: [key], args: [holder], read: readState });
  }

  renew(key: string, holder: string, lease: number, callback: ReplyCallback<number | undefined>): void {
    const { read, sending } = lease === 0 ? LEASE_CHECK : this.#renewalTo(lease);
    this.runner.send({ script: renewalRenew, keys: [key], args: [holder], read, sending }, callback);
  }

  /** The key of a lock, and that of its queue of processes; for scripts that use no other key that of the lock again. */
  protected keysOf(key: string): readonly [string, string] {
    if (this.#keys[0] !== key) this.#keys = [key, this.hasQueue ? suffixName(key, 'waiting') : key];
    return this.#keys;
  }

  #renewalTo(lease: number) {
    if (this.#renewal.lease !== lease) this.#renewal = renewalTo(lease);
    return this.#renewal;
  }
}

const LEASE_CHECK = renewalTo(0);

/** How a renewal to `lease` ms, or a check with 0, is sent and read. */
function renewalTo(lease: number) {
  // `1` alone stands for just the requested lease.
  const read = (reply: ReplyReader) => (isDone(reply) && reply.size === 1 ? lease : readRenewal(reply));
  return { lease, read, sending: { ...(lease > 0 ? RENEWING : CHECKING), shared: `${lease}` } };
}

/** The rows `{1, ttl}` alive, `{0}` gone. @returns the remaining ttl in ms */
export function readRenewal(reply: ReplyReader): number | undefined {
  return isDone(reply) ? reply.integer(1) : undefined;
}

function readState(reply: ReplyReader): LockState {
  const ttl = reply.integer(1);
  return { isLocked: ttl !== -2, ttl, count: reply.integer(2), holder: reply.text(3) || undefined };
}
