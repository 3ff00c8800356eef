import {
  writeAcquire,
  writeForceRelease,
  writeInspect,
  writeRelease,
  writeRenew,
} from './generated/lua.scripts.js';
import type { AcquireCommand, AcquireReply, ReleaseCommand, ReleaseReply } from '../replies/lock.replies.js';
import { ReadWriteScripts } from './read-write.scripts.js';
import { CHECKING, readRenewal, RENEWING } from './reentrant.scripts.js';
import type { ReplyCallback } from '../replies/reply.callback.js';
import type { ReplyReader } from '../replies/reply.reader.js';
import { readAcquire, readRelease } from '../replies/reply.reader.js';
import type { ScriptRunner } from '../script-runner/script.runner.js';
import { GRANTING, PUBLISHING } from '../script-runner/sending.js';

/** The longest sleep of a waiting writer before its next attempt, in ms: a dead one keeps readers out for hardly longer. */
export const WRITER_SLEEP = 2000;

/** How much longer than the sleep of its writer an intent lasts, in ms: until the next attempt has arrived. */
const ON_THE_WAY = 250;

/** The write side of a read/write lock. If read holds of its holder remain after a release, the lock is theirs from then on. */
export class WriteScripts extends ReadWriteScripts {
  constructor(runner: ScriptRunner) {
    super(runner, { forceRelease: writeForceRelease, inspect: writeInspect });
  }

  /**
   * @param command.wait a caller that will wait keeps new readers of this library out until its next attempt: to be repeated at
   * least every {@link WRITER_SLEEP} ms, and taken back by a release to 0
   */
  acquire({ key, holder, lease, count, wait }: AcquireCommand, callback: ReplyCallback<AcquireReply>): void {
    const sleep = wait > 0 ? Math.ceil(Math.min(wait, WRITER_SLEEP)) + ON_THE_WAY : 0;
    const args = [holder, `${lease}`, `${count}`, `${sleep}`];
    const read = (reply: ReplyReader) => readAcquire(reply, count);
    this.runner.send(
      { script: writeAcquire, keys: this.keysOf(key), args, read, sending: GRANTING },
      callback,
    );
  }

  renew(key: string, holder: string, lease: number, callback: ReplyCallback<number | undefined>): void {
    const sending = lease > 0 ? RENEWING : CHECKING;
    this.runner.send(
      { script: writeRenew, keys: [key], args: [holder, `${lease}`], read: readRenewal, sending },
      callback,
    );
  }

  release(
    { key, holder, count, lease, channel }: ReleaseCommand,
    callback: ReplyCallback<ReleaseReply>,
  ): void {
    const args = [holder, `${count}`, `${lease}`, channel];
    this.runner.send(
      { script: writeRelease, keys: this.keysOf(key), args, read: readRelease, sending: PUBLISHING },
      callback,
    );
  }
}
