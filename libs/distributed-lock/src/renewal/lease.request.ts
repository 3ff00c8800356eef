import { errorText } from '../errors/error.text.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { LateAnswer, ReplyCallback } from '../replies/reply.callback.js';
import type { LeaseListener } from './lease.listener.js';
import type { Instant, Lease } from './lease.js';

/** Whether Redis confirmed a lease, or why there is no answer. */
export type LeaseAnswer = boolean | RedisFailure;

/** What a {@link LeaseRequest} is made of. */
interface LeaseRequestParts {
  readonly lease: Lease;
  /** The ttl of the renewal, in ms; 0 only checks the lease. */
  readonly ttl: number;
  readonly sent: Instant;
  readonly listener: LeaseListener | undefined;
  readonly done: (confirmed: LeaseAnswer) => void;
}

/** One renewal, or only a check, of a lease, and the effect of the answer on the lease. Thousands are under way in a second. */
export class LeaseRequest implements ReplyCallback<number | undefined> {
  constructor(private readonly parts: LeaseRequestParts) {}

  get sentAt(): number {
    return this.parts.sent.at;
  }

  /** @param callback passes the answer on; by default this object receives it, in any async context */
  send(callback: ReplyCallback<number | undefined> = this): void {
    const { lease, ttl } = this.parts;
    const { key, renewer } = lease.target;
    lease.expect(ttl);
    renewer.renew(key, lease.holder, ttl, callback);
  }

  /** A request that still waits for a connection when its lease is lost would keep the lock for another lease, without a holder. */
  isOutdated(): boolean {
    return this.parts.lease.state === 'lost';
  }

  answered(left: number | undefined): void {
    try {
      this.#takeLeaseLeft(left);
    } catch (error) {
      this.failed(error);
      return;
    }
    this.parts.done(left !== undefined);
  }

  /** A late answer is an answer: what Redis has renewed is not lost because it is slow. */
  failed(error: unknown, late?: LateAnswer<number | undefined>): void {
    const { lease } = this.parts;
    const isFirst = lease.state !== 'unknown' && lease.state !== 'lost';
    lease.doubt();
    try {
      if (isFirst) this.#holder?.unknown(errorText(error));
    } finally {
      this.parts.done(RedisFailure.from(error));
    }
    void late?.then((answer) => {
      // A lease that has ended meanwhile stays so.
      const isAwaited = lease.listener !== undefined && lease.state !== 'lost';
      if (isAwaited && 'reply' in answer) this.answered(answer.reply);
    });
  }

  #takeLeaseLeft(left: number | undefined): void {
    const { lease, ttl, sent } = this.parts;
    if (left === undefined) {
      lease.lose();
      this.#holder?.gone();
    } else if (ttl === 0) lease.confirmCheck(sent, left === -1 ? lease.longestTtl : left);
    else {
      lease.confirm(sent, left === -1 ? ttl : left);
      this.#holder?.renewed();
    }
  }

  /** The lease may have been handed to its next hold while the request was under way: the answer is for that hold. */
  get #holder(): LeaseListener | undefined {
    const { lease, listener } = this.parts;
    return lease.listener ?? listener;
  }
}
