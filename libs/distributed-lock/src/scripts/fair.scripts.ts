import { fairAcquire, fairHeartbeat, fairForceRelease, fairRelease } from './generated/lua.scripts.js';
import type {
  AcquireCommand,
  AcquireReply,
  HeartbeatCommand,
  HeartbeatReply,
  LockScripts,
  LockState,
  ReleaseCommand,
  ReleaseReply,
} from '../replies/lock.replies.js';
import { ReentrantScripts } from './reentrant.scripts.js';
import type { ReplyCallback } from '../replies/reply.callback.js';
import type { ReplyReader } from '../replies/reply.reader.js';
import { isDone, readAcquire, readRelease } from '../replies/reply.reader.js';
import type { ScriptRunner } from '../script-runner/script.runner.js';
import { GRANTING, PUBLISHING } from '../script-runner/sending.js';
import { lockChannel, prefixName, suffixName } from './wire.names.js';

/** The longest wait that the scripts take, in ms: for a longer time a dead waiter would block all waiters behind it (D22). */
const LONGEST_WAIT = 3_600_000;

/** How long a process counts as alive after its last sign of life, in ms. */
export const FAIR_LIFE = 3000;

/** How the scripts distinguish waiters of a fair lock from dead ones. */
export interface FairTimes {
  /** How long a process counts as alive after its last sign of life, in ms, up to 1 minute. @default 3000 */
  readonly life?: number;
  /**
   * How long before its time a waiter reports that it is alive, and gets its whole wait again; in ms, up to 1 hour, and never
   * more than half its wait. One message requests that report. 0: the waiter is removed at its time. @default 5000
   */
  readonly margin?: number;
}

/**
 * The scripts of the fair lock, typed (wire format section 6): it is granted in the order of arrival, in all processes and
 * languages. Each waiter has a holder id of its own, and subscribes to `<channel>:<holder id>`.
 */
export class FairScripts implements LockScripts {
  readonly #plain: ReentrantScripts;
  readonly #life: string;
  readonly #margin: string;

  constructor(
    private readonly runner: ScriptRunner,
    { life = FAIR_LIFE, margin = 5000 }: FairTimes = {},
  ) {
    this.#plain = new ReentrantScripts(runner);
    this.#life = `${life}`;
    this.#margin = `${margin}`;
  }

  /**
   * With a `wait` the holder stands in the queue from now on, until it is granted, or leaves by a release to 0. `wait` is cut
   * to an hour, and has to be the same at every attempt; a waiter that repeats its attempts keeps its place for longer than that.
   */
  acquire(
    { key, holder, lease, count, wait, handoffLease = 0 }: AcquireCommand,
    callback: ReplyCallback<AcquireReply>,
  ): void {
    const declared = Math.min(Math.ceil(wait), LONGEST_WAIT);
    const args = [holder, `${lease}`, `${count}`, `${declared}`, `${handoffLease}`, lockChannel(key)];
    const shared = `${this.#life} ${this.#margin}`;
    const read = (reply: ReplyReader) => readAcquire(reply, count);
    this.runner.send(
      {
        script: fairAcquire,
        keys: keysOf(key),
        args,
        read,
        sending: { ...GRANTING, ...PUBLISHING, shared },
      },
      callback,
    );
  }

  /** To 0 the release removes the holder from the queue as well. */
  release(
    { key, holder, count, lease, channel, handoffLease = 0 }: ReleaseCommand,
    callback: ReplyCallback<ReleaseReply>,
  ): void {
    const args = [holder, `${count}`, `${lease}`, channel];
    const shared = `${this.#margin} ${handoffLease}`;
    this.runner.send(
      {
        script: fairRelease,
        keys: keysOf(key),
        args,
        read: readFairRelease,
        sending: { ...PUBLISHING, shared },
      },
      callback,
    );
  }

  forceRelease(key: string, channel: string): Promise<boolean> {
    const shared = this.#margin;
    return this.runner.run({
      script: fairForceRelease,
      keys: keysOf(key),
      args: [channel],
      read: isDone,
      sending: { ...PUBLISHING, shared },
    });
  }

  /** A process calls it about once a second while it waits: its waiters lose their places `life` ms after the last call. */
  heartbeat({ key, client, last, live, channel }: HeartbeatCommand): Promise<HeartbeatReply> {
    const sending = { ...PUBLISHING, shared: `${this.#life} ${this.#margin}` };
    return this.runner.run({
      script: fairHeartbeat,
      keys: keysOf(key),
      args: [client, `${last}`, JSON.stringify(live), channel],
      read: readHeartbeat,
      sending,
    });
  }

  inspect(key: string, holder: string): Promise<LockState> {
    return this.#plain.inspect(key, holder);
  }

  renew(key: string, holder: string, lease: number, callback: ReplyCallback<number | undefined>): void {
    this.#plain.renew(key, holder, lease, callback);
  }
}

/** The rows of {@link readRelease}, and `{1, 0, holder}` handed off. */
function readFairRelease(reply: ReplyReader): ReleaseReply {
  const read = readRelease(reply);
  return read.kind === 'released' && reply.size > 2 ? { ...read, next: reply.text(2) } : read;
}

function readHeartbeat(reply: ReplyReader): HeartbeatReply {
  return { next: reply.integer(1), holder: reply.size > 3 ? reply.text(3) : undefined };
}

/** The lock, its queue and the timeouts of its waiters are Redisson's keys; their waits and the signs of life are ours alone. */
function keysOf(key: string): [string, ...string[]] {
  return [
    key,
    prefixName('redisson_lock_queue', key),
    prefixName('redisson_lock_timeout', key),
    suffixName(key, 'fair_waits'),
    suffixName(key, 'fair_alive'),
  ];
}
