import {
  permitAcquire,
  permitInspect,
  permitPass,
  permitRelease,
  permitRenew,
  permitResize,
  permitWait,
} from './generated/lua.scripts.js';
import type {
  AcquireCommand,
  AcquireReply,
  Busy,
  LockScripts,
  LockState,
  ReleaseCommand,
  ReleaseReply,
} from '../replies/lock.replies.js';
import type { PassCommand, PassReply, WaitCommand, WaitReply } from '../replies/queue.replies.js';
import type { LuaScript } from '../script-runner/lua.script.js';
import { promised, type ReplyCallback } from '../replies/reply.callback.js';
import type { ReplyReader } from '../replies/reply.reader.js';
import { readRenewal } from './reentrant.scripts.js';
import { isDone, readBusy, readRelease } from '../replies/reply.reader.js';
import type { ScriptRunner } from '../script-runner/script.runner.js';
import { GRANTS, PUBLISHING } from '../script-runner/sending.js';
import { ProcessQueueScripts, SHORT_LEASE } from './process-queue.scripts.js';
import { semaphoreChannel, suffixName } from './wire.names.js';

/** A permit is small, and a semaphore has many: as many operations a call as the watchdog has. */
const PERMITS_PER_CALL = 100;

/** The permits of a semaphore whose permits expire. */
export interface PermitsState {
  readonly available: number;
  readonly taken: number;
}

/** What a script asks of the permits of a semaphore. */
interface PermitRequest<T> {
  readonly script: LuaScript;
  readonly key: string;
  /** The key of the queue of processes, for scripts that use it. */
  readonly waiting?: string;
  /** Without the channel, which is the last argument of each script. */
  readonly args: readonly string[];
  readonly read: (reply: ReplyReader) => T;
  /** Numbers that are sent once per call. */
  readonly shared?: string;
  /** The first numbers of granting rows. */
  readonly grants?: readonly number[] | undefined;
}

/**
 * The scripts of the semaphore whose permits expire, typed. The holder is a permit id, 32 hex characters, that is used for one
 * permit only. All scripts but {@link release} first take back permits whose leases are over.
 */
export class PermitScripts implements LockScripts {
  /**
   * @param client the uuid of this process
   * @param hasQueue whether processes that wait for a permit have a queue
   */
  constructor(
    private readonly runner: ScriptRunner,
    private readonly client: string,
    private readonly hasQueue = true,
  ) {}

  acquire({ key, holder: permit, lease, wait }: AcquireCommand, callback: ReplyCallback<AcquireReply>): void {
    const args = [permit, this.client, `${lease}`, wait > 0 ? '1' : '0'];
    this.#send(
      { script: permitAcquire, key, waiting: this.#waitingOf(key), args, read: readPermit, grants: GRANTS },
      callback,
    );
  }

  /** Gives the permit back; a permit has no parts, so a count above 0 only checks it. */
  release({ key, holder: permit, count }: ReleaseCommand, callback: ReplyCallback<ReleaseReply>): void {
    const request = { script: permitRelease, key, waiting: this.#waitingOf(key), shared: `${SHORT_LEASE}` };
    if (count === 0) this.#send({ ...request, args: [permit, this.client], read: readRelease }, callback);
    else
      this.renew(key, permit, 0, {
        answered: (left) => callback.answered({ kind: left === undefined ? 'gone' : 'kept' }),
        failed: (error) => callback.failed(error),
      });
  }

  /** A permit cannot be taken from its holder by force, because the call does not name the permit. */
  forceRelease(): Promise<boolean> {
    return Promise.resolve(false);
  }

  inspect(key: string, permit: string): Promise<LockState> {
    return this.#run({ script: permitInspect, key, args: [permit], read: readState });
  }

  renew(key: string, permit: string, lease: number, callback: ReplyCallback<number | undefined>): void {
    const args = [permit, `${lease}`, 'raise'];
    const grants = lease > 0 ? GRANTS : undefined;
    this.#send({ script: permitRenew, key, args, read: readRenewal, grants }, callback);
  }

  /** @returns the rest of a permit's lease in ms (-1: it never ends), or undefined when the permit is gone */
  readLease(key: string, permit: string): Promise<number | undefined> {
    return promised((callback) => this.renew(key, permit, 0, callback));
  }

  /** Gives a permit a lease, which may be shorter than the remaining one. @returns false when the permit is gone */
  updateLease(key: string, permit: string, lease: number): Promise<boolean> {
    return this.#run({
      script: permitRenew,
      key,
      args: [permit, `${lease}`, 'set'],
      read: isDone,
      grants: GRANTS,
    });
  }

  /** The number of permits. */
  permits(key: string): Promise<PermitsState> {
    const read = (reply: ReplyReader) => ({ available: reply.integer(1), taken: reply.integer(2) });
    return this.#run({ script: permitInspect, key, args: [''], read });
  }

  /** Sets the number of all permits, including those that are taken. */
  async setPermits(key: string, total: number): Promise<void> {
    await this.#run({ script: permitResize, key, args: [`${total}`], read: isDone });
  }

  #run<T>(request: PermitRequest<T>): Promise<T> {
    return promised((callback) => this.#send(request, callback));
  }

  /** The key of the queue of processes; for scripts without one that of the semaphore again. */
  #waitingOf(key: string): string {
    return this.hasQueue ? suffixName(key, 'waiting') : key;
  }

  #send<T>(
    { script, key, waiting, shared, args, read, grants }: PermitRequest<T>,
    callback: ReplyCallback<T>,
  ): void {
    const timeout = suffixName(key, 'timeout');
    this.runner.send(
      {
        script,
        keys: waiting === undefined ? [key, timeout] : [key, timeout, waiting],
        args: [...args, semaphoreChannel(key)],
        read,
        sending: {
          ...PUBLISHING,
          perCall: PERMITS_PER_CALL,
          grants,
          ...(shared !== undefined && { shared }),
        },
      },
      callback,
    );
  }
}

/** The scripts of the queue of processes that wait for a permit, typed. */
export class PermitQueueScripts extends ProcessQueueScripts {
  override readonly leavingFreesNothing = true;

  /** @param client the uuid of this process */
  constructor(
    runner: ScriptRunner,
    private readonly client: string,
  ) {
    super(runner);
  }

  override placeOf(permit: string): string {
    return `${this.client}:${permit}`;
  }

  override wait(command: WaitCommand, callback: ReplyCallback<WaitReply>): void {
    const names = [command.holder, this.client];
    const keys = queueKeys(command.key);
    this.sendWait(
      { script: permitWait, keys, names, busy: readTaken, granted: readGranted },
      command,
      callback,
    );
  }

  override pass(command: PassCommand, callback: ReplyCallback<PassReply>): void {
    this.sendPass({ script: permitPass, keys: queueKeys(command.key), busy: readTaken }, command, callback);
  }
}

function queueKeys(key: string): readonly [string, string, string] {
  return [key, suffixName(key, 'timeout'), suffixName(key, 'waiting')];
}

function readPermit(reply: ReplyReader): AcquireReply {
  switch (reply.integer(0)) {
    case 0:
      return readTaken(reply);
    case 1:
      return { kind: 'granted', count: reply.integer(1), room: Math.max(reply.integer(2), 0) };
    case 3:
      return { kind: 'queued' };
    default:
      throw reply.malformed();
  }
}

/** The row `{1, 1, permits left, listener, called}`. What is left is for the process that the grant has notified. */
function readGranted(
  reply: ReplyReader,
): Pick<Extract<WaitReply, { readonly kind: 'granted' }>, 'room' | 'isListener' | 'called'> {
  const called = reply.text(4) || undefined;
  const room = called === undefined ? Math.max(reply.integer(2), 0) : 0;
  return { room, isListener: reply.integer(3) === 1, called };
}

/** Where no permit ever expires there is nothing to poll for: a message ends the wait, or the longest sleep does. */
function readTaken(reply: ReplyReader): Busy {
  const { ttl, ...busy } = readBusy(reply);
  return { ...busy, ttl: ttl === -1 ? Infinity : ttl };
}

function readState(reply: ReplyReader): LockState {
  const left = reply.integer(3);
  const isTaken = reply.integer(2) > 0;
  return {
    isLocked: reply.integer(1) <= 0,
    ttl: left === -2 && isTaken ? reply.integer(4) : left,
    count: left === -2 ? 0 : 1,
    holder: reply.text(5) || undefined,
  };
}
