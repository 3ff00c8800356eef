import type { Lease } from '../renewal/lease.js';
import { HoldCount, type CountedHold } from './hold.count.js';
import type { HoldHandle } from './handle.js';
import type { TickRun } from './hold.contract.js';
import type { HoldTimers } from './hold.timers.js';
import { LeaseControl, type LeaseOwner } from './lease.control.js';
import type { LockContext } from '../core/lock.context.js';
import type { LockTarget } from '../core/lock.target.js';

/** A hold, as what it has besides needs it. */
interface WholeHold extends CountedHold, LeaseOwner {
  readonly context: LockContext;
  readonly target: LockTarget;
  readonly lease: Lease;
}

/** A hold beside another one, under the same holder id: what is done to that one's lease goes through it. */
export interface PairedHold {
  /**
   * Has `ask` end, in its turn, a hold that may have kept their common ttl longer than this one needs it.
   * @param ask gets the lease in ms that this one needs yet, down to which it may set the ttl; undefined: not known, or none
   * @param doneOf settles when nothing of an answer is still to be sent. @default at once
   */
  endPaired<T>(
    ask: (lease: number | undefined) => Promise<T>,
    doneOf?: (answer: T) => Promise<unknown>,
  ): Promise<T>;
}

/**
 * What few holds have: most are taken, renewed and released, and nothing else. Apart from the hold, so that a lock that is held has
 * one field for all of it.
 */
export class HoldExtras {
  timers: HoldTimers | undefined = undefined;
  token: bigint | undefined = undefined;
  run: TickRun | undefined = undefined;
  /** Of a read hold under the id of a write hold: that one. */
  writer: PairedHold | undefined = undefined;
  /** The acquisition that a run began with. */
  first: HoldHandle | undefined = undefined;
  #count: HoldCount | undefined;
  #leaseControl: LeaseControl | undefined;

  constructor(private readonly hold: WholeHold) {}

  /** Undefined where there never was more than the one acquisition that Redis counts. */
  get knownCount(): HoldCount | undefined {
    return this.#count;
  }

  get count(): HoldCount {
    const { context, target, lease } = this.hold;
    return (this.#count ??= new HoldCount(context, target, lease, this.hold));
  }

  get leaseControl(): LeaseControl {
    const { context, lease } = this.hold;
    return (this.#leaseControl ??= new LeaseControl(lease, context.watchdog, this.hold));
  }
}
