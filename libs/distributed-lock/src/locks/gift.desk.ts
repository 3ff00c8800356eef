import { instant, safetyMargin, type Instant } from '../renewal/lease.js';
import { givenAfter } from '../scripts/lock.messages.js';
import type { Gift } from '../scripts/lock.replies.js';
import { now, suspendedFor } from '../timing/monotonic.clock.js';

/** A lock that a release has given to a waiter. */
export interface Given {
  /** The lease that it has in Redis, in ms. */
  readonly gift: number;
  /** It was given no earlier. */
  readonly sent: Instant;
}

/**
 * The gifts to one waiter. A message may be late by any time, and so is no proof that the lock is held now; but it names the
 * question that came before the gift, and the lease is counted from when that one was sent. What came after an older
 * question has been overtaken by the answer to a younger one.
 */
export class GiftDesk {
  #question = 0;
  #asked: Instant | undefined;
  #given = 0;

  /** @param lease of a gift, in ms */
  constructor(private readonly lease: number) {}

  /** What the next question declares; to be called when it is sent. */
  declare(): Gift {
    this.#question += 1;
    this.#given = 0;
    this.#asked = instant();
    return { lease: this.lease, question: this.#question };
  }

  /** A message to the waiter was heard. */
  hear(payload: string): void {
    this.#given = givenAfter(payload) ?? this.#given;
  }

  /** @returns undefined without a gift, and for one whose lease may be too near its end: who asks then gets it afresh, if it is still there */
  take(): Given | undefined {
    const { lease } = this;
    const sent = this.#asked;
    const isGiven = this.#given === this.#question;
    this.#given = 0;
    if (!isGiven || sent === undefined) return undefined;
    const at = now();
    // The monotonic clock stands still while the machine is suspended.
    if (at - sent.at > lease / 3 || suspendedFor(sent.wall, at) > safetyMargin(lease)) return undefined;
    return { gift: lease, sent };
  }
}
