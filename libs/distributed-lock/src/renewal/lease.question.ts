import type { ReplyHearer } from '../scripts/reply.hearer.js';
import type { LeaseListener } from './lease.listener.js';
import type { Instant, Lease } from './lease.js';

/** One question about a lease, to renew it or only to look, and what its answer does to it. Thousands are on their way in a second. */
export class LeaseQuestion implements ReplyHearer<number | undefined> {
  /** @param done hears whether Redis confirmed the lease; undefined without an answer */
  constructor(
    private readonly lease: Lease,
    /** What to renew to in ms; 0 only looks. */
    private readonly ttl: number,
    private readonly sent: Instant,
    private readonly listener: LeaseListener | undefined,
    private readonly done: (confirmed: boolean | undefined) => void,
  ) {}

  ask(): void {
    const { lease, ttl } = this;
    lease.expect(ttl);
    lease.renewer.renew(lease.key, lease.holder, ttl, this);
  }

  heard(left: number | undefined): void {
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
    if (!told) this.#hearer?.unknown(error instanceof Error ? error.message : String(error));
    this.done(undefined);
  }

  #take(left: number | undefined): void {
    const { lease, ttl, sent } = this;
    if (left === undefined) {
      lease.lose();
      this.#hearer?.gone();
    } else if (ttl === 0) lease.look(sent, left === -1 ? lease.longest : left);
    else {
      lease.confirm(sent, left === -1 ? ttl : left);
      this.#hearer?.renewed();
    }
  }

  /** A lease may have been handed to its next hold while the question was on its way: the answer is for that one. */
  get #hearer(): LeaseListener | undefined {
    return this.lease.watch?.listener ?? this.listener;
  }
}
