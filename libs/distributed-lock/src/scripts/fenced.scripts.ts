import { fencedAcquire, fencedReadToken, fencedTransfer, fencedWait } from './generated/lua.scripts.js';
import type {
  AcquireCommand,
  AcquireReply,
  TransferCommand,
  TransferReply,
} from '../replies/lock.replies.js';
import type { WaitCommand, WaitReply } from '../replies/queue.replies.js';
import { ProcessQueueScripts, readListener } from './process-queue.scripts.js';
import { ReentrantScripts } from './reentrant.scripts.js';
import type { ReplyCallback } from '../replies/reply.callback.js';
import type { ReplyReader } from '../replies/reply.reader.js';
import { readAcquire, readTransfer } from '../replies/reply.reader.js';
import { GRANTING, TRANSFERRING } from '../script-runner/sending.js';
import { prefixName, suffixName } from './wire.names.js';

/**
 * The scripts of the fenced lock, typed: a plain lock that gives a higher token with every grant (wire format section 8).
 * The scripts that release, renew or inspect are the plain lock's, and do not change the token.
 */
export class FencedScripts extends ReentrantScripts {
  override acquire(
    { key, holder, lease, count, wait }: AcquireCommand,
    callback: ReplyCallback<AcquireReply>,
  ): void {
    const [, waiting] = this.keysOf(key);
    const keys = [key, tokenCounter(key), waiting] as const;
    const args = [holder, `${lease}`, `${count}`, wait > 0 ? '1' : '0'];
    const read = (reply: ReplyReader) =>
      readAcquire(reply, count, (granted) => ({ token: readToken(granted, 2) }));
    this.runner.send({ script: fencedAcquire, keys, args, read, sending: GRANTING }, callback);
  }

  override transfer({ key, from, to, lease, channel }: TransferCommand): Promise<TransferReply> {
    const args = [from, to, `${lease}`, channel];
    const read = (reply: ReplyReader) => readTransfer(reply, (taken) => ({ token: readToken(taken, 1) }));
    return this.runner.run({
      script: fencedTransfer,
      keys: [key, tokenCounter(key)],
      args,
      read,
      sending: TRANSFERRING,
    });
  }

  /** @returns the last token of the lock, by this client or another one; undefined where it never gave any */
  currentToken(key: string): Promise<bigint | undefined> {
    const read = (reply: ReplyReader) => (reply.text(1) === '' ? undefined : readToken(reply, 1));
    return this.runner.run({ script: fencedReadToken, keys: [tokenCounter(key)], args: [], read });
  }
}

/** The scripts of the queue of processes at a fenced lock, typed. */
export class FencedQueueScripts extends ProcessQueueScripts {
  override wait(command: WaitCommand, callback: ReplyCallback<WaitReply>): void {
    const { key } = command;
    const keys = [key, tokenCounter(key), suffixName(key, 'waiting')] as const;
    this.sendWait({ script: fencedWait, keys, granted: readWaited }, command, callback);
  }
}

/** The key of the last token, which outlives the lock. */
function tokenCounter(key: string): string {
  return prefixName('redisson_lock_token', key);
}

/** The row `{1, count, listener, token}`. */
function readWaited(granted: ReplyReader): { readonly isListener?: boolean; readonly token: bigint } {
  return { ...readListener(granted), token: readToken(granted, 3) };
}

/** Tokens travel as text: numbers of Lua and of JavaScript are exact up to 2^53 only. */
function readToken(reply: ReplyReader, at: number): bigint {
  const text = reply.text(at);
  if (!/^-?\d+$/.test(text)) throw reply.malformed();
  return BigInt(text);
}
