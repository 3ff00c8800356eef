import {
  writeAcquire,
  writeForceRelease,
  writeInspect,
  writePass,
  writeRelease,
  writeRenew,
  writeWait,
} from './generated/lua.scripts.js';
import type { AcquireCommand, AcquireReply, ReleaseCommand, ReleaseReply } from '../replies/lock.replies.js';
import { intentOf, ReadWriteScripts } from './read-write.scripts.js';
import { ProcessQueueScripts, readListener, SHORT_LEASE } from './process-queue.scripts.js';
import { CHECKING, readRenewal, RENEWING } from './reentrant.scripts.js';
import type { PassCommand, PassReply, WaitCommand, WaitReply } from '../replies/queue.replies.js';
import type { ReplyCallback } from '../replies/reply.callback.js';
import type { ReplyReader } from '../replies/reply.reader.js';
import { readAcquire, readRelease } from '../replies/reply.reader.js';
import type { ScriptRunner } from '../script-runner/script.runner.js';
import { GRANTING, PUBLISHING } from '../script-runner/sending.js';
import { suffixName } from './wire.names.js';

/** The longest sleep of a waiting writer before its next attempt, in ms: a dead one keeps readers out for hardly longer. */
export const WRITER_SLEEP = 2000;

/** How much longer than the sleep of its writer an intent lasts, in ms: until the next attempt has arrived. */
const ON_THE_WAY = 250;

/** The write side of a read/write lock. If read holds of its holder remain after a release, the lock is theirs from then on. */
export class WriteScripts extends ReadWriteScripts {
  constructor(runner: ScriptRunner, hasQueue = true) {
    super(runner, { forceRelease: writeForceRelease, inspect: writeInspect }, hasQueue);
  }

  /**
   * @param command.declared a caller that will wait keeps new readers of this library out until its next attempt: to be repeated at
   * least every {@link WRITER_SLEEP} ms, and taken back by a release to 0
   */
  acquire(
    { key, holder, lease, count, wait, declared = wait }: AcquireCommand,
    callback: ReplyCallback<AcquireReply>,
  ): void {
    const sleep = declared > 0 ? Math.ceil(Math.min(declared, WRITER_SLEEP)) + ON_THE_WAY : 0;
    const args = [holder, `${lease}`, `${count}`, `${sleep}`, wait > 0 ? '1' : '0'];
    const read = (reply: ReplyReader) => readAcquire(reply, count);
    this.runner.send(
      { script: writeAcquire, keys: this.#keysOf(key), args, read, sending: GRANTING },
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
    const args = [holder, `${count}`, `${count === 0 ? SHORT_LEASE : lease}`, channel];
    this.runner.send(
      { script: writeRelease, keys: this.#keysOf(key), args, read: readRelease, sending: PUBLISHING },
      callback,
    );
  }

  #keysOf(key: string): readonly [string, string, string] {
    return [key, intentOf(key), this.waitingOf(key)];
  }
}

/** The scripts of the queue of processes that wait to write, typed. */
export class WriteQueueScripts extends ProcessQueueScripts {
  override wait(command: WaitCommand, callback: ReplyCallback<WaitReply>): void {
    const keys = queueKeys(command.key);
    this.sendWait({ script: writeWait, keys, granted: readListener }, command, callback);
  }

  override pass(command: PassCommand, callback: ReplyCallback<PassReply>): void {
    this.sendPass({ script: writePass, keys: queueKeys(command.key) }, command, callback);
  }
}

function queueKeys(key: string): readonly [string, string, string] {
  return [key, intentOf(key), suffixName(key, 'waiting')];
}
