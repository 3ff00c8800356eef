import {
  readAcquire,
  readForceRelease,
  readInspect,
  readRelease,
  readRenew,
} from './generated/lua.scripts.js';
import type { AcquireCommand, AcquireReply, ReleaseCommand, ReleaseReply } from '../replies/lock.replies.js';
import { intentOf, ReadWriteScripts } from './read-write.scripts.js';
import { SHORT_LEASE } from './process-queue.scripts.js';
import { CHECKING, readRenewal, RENEWING } from './reentrant.scripts.js';
import type { ReplyCallback } from '../replies/reply.callback.js';
import type { ReplyReader } from '../replies/reply.reader.js';
import { readAcquire as readAcquireReply, readRelease as readReleaseReply } from '../replies/reply.reader.js';
import type { ScriptRunner } from '../script-runner/script.runner.js';
import { GRANTING, PUBLISHING } from '../script-runner/sending.js';
import { SharedNumbers } from '../script-runner/shared.numbers.js';
import { readWriteChannel } from './wire.names.js';

/** Waiting readers are admitted together: a release wakes all of them at once, and one call takes as many. */
const READING = { ...GRANTING, perCall: 100 };

/**
 * The read side of a read/write lock. It admits any number of holders. A release is `released` once its holder reads no more, even if
 * other holders still do; the last one publishes on the channel.
 */
export class ReadScripts extends ReadWriteScripts {
  readonly #acquiring = new SharedNumbers(READING);

  constructor(runner: ScriptRunner, hasQueue = true) {
    super(runner, { forceRelease: readForceRelease, inspect: readInspect }, hasQueue);
  }

  acquire({ key, holder, lease, count }: AcquireCommand, callback: ReplyCallback<AcquireReply>): void {
    const sending = this.#acquiring.of(lease, count);
    const read = (reply: ReplyReader) => readAcquireReply(reply, count, () => ({ room: Infinity }));
    this.runner.send(
      { script: readAcquire, keys: [key, intentOf(key)], args: [holder], read, sending },
      callback,
    );
  }

  /** A lock whose last reader is found dead is free from then on, which is published on its channel. */
  renew(key: string, holder: string, lease: number, callback: ReplyCallback<number | undefined>): void {
    const sending = { ...(lease > 0 ? RENEWING : CHECKING), ...PUBLISHING };
    const args = [holder, `${lease}`, readWriteChannel(key)];
    this.runner.send({ script: readRenew, keys: [key], args, read: readRenewal, sending }, callback);
  }

  /** @param command.pairedLease the lease that the write hold of the same holder id still needs, in ms; 0: not known */
  release(
    { key, holder, count, lease, channel, pairedLease = 0 }: ReleaseCommand,
    callback: ReplyCallback<ReleaseReply>,
  ): void {
    const kept = count === 0 ? SHORT_LEASE : lease;
    const args = [holder, `${count}`, `${kept}`, `${pairedLease}`, channel];
    this.runner.send(
      {
        script: readRelease,
        keys: [key, this.waitingOf(key)],
        args,
        read: readReleaseReply,
        sending: PUBLISHING,
      },
      callback,
    );
  }
}
