import { errorText } from '../errors/error.text.js';
import type { ReplyCallback } from '../replies/reply.callback.js';
import type { LeaseListener } from './lease.listener.js';
import type { Instant, Lease } from './lease.js';

/** One question about a lease, to renew it or only to look, and what its answer does to it. Thousands are on their way in a second. */
export class LeaseQuestion implements ReplyCallback<number | undefined> {
  /** @param done hears whether Redis confirmed the lease; undefined without an answer */
  constructor(
    private readonly lease: Lease,
    /** What to renew to in ms; 0 only looks. */
    private readonly ttl: number,
    private readonly sent: Instant,
    private readonly listener: LeaseListener | undefined,
    private readonly done: (confirmed: boolean | undefined) => void,
  ) {}

  get sentAt(): number {
    return this.sent.at;
  }

  /** @param callback passes on what is heard; this question, where nobody cares in whose async context that is */
  ask(callback: ReplyCallback<number | undefined> = this): void {
    const { lease, ttl } = this;
    const { key, renewer } = lease.target;
    lease.expect(ttl);
    renewer.renew(key, lease.holder, ttl, callback);
  }

  answered(left: number | undefined): void {
    try {
      this.#take(left);
    } catch (error) {
      this.failed(error);
      return;
    }
    this.done(left !== undefined);
  }

  failed(error: unknown): void {
    const { lease } = this;
    const told = lease.state === 'unknown';
    lease.doubt();
    try {
      if (!told) this.#holder?.unknown(errorText(error));
    } finally {
      this.done(undefined);
    }
  }

  #take(left: number | undefined): void {
    const { lease, ttl, sent } = this;
    if (left === undefined) {
      lease.lose();
      this.#holder?.gone();
    } else if (ttl === 0) lease.look(sent, left === -1 ? lease.longest : left);
    else {
      lease.confirm(sent, left === -1 ? ttl : left);
      this.#holder?.renewed();
    }
  }

  /** A lease may have been handed to its next hold while the question was on its way: the answer is for that one. */
  get #holder(): LeaseListener | undefined {
    return this.lease.listener ?? this.listener;
  }
}
