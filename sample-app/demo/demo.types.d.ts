import type { TickRecord } from 'nestjs-distributed-lock';

export interface DemoOptions {
  readonly seconds: number;
  readonly instances: number;
  /** The same application without the library. */
  readonly unsafe: boolean;
  readonly board: boolean;
  /** The first instance's port; the others follow. Undefined: free ones. */
  readonly portBase: number | undefined;
  /** Whether to bring the build up to date first. */
  readonly build: boolean;
}

/** The instants that the verdict is about, epoch ms by the store's clock: first, first + period, …, last. */
export interface Window {
  readonly first: number;
  readonly last: number;
  readonly period: number;
}

/** A row of the application's billing journal: its own evidence, which the library has no part in. */
export interface JournalEntry {
  /** By the store's clock, epoch ms. */
  readonly at: number;
  /** One execution of the job. */
  readonly run: string;
  readonly tick: number;
  readonly instance: string;
  readonly event: 'started' | 'charged' | 'finished';
  /** For `charged`. */
  readonly account: string;
}

/** A SIGKILL that was aimed at a run. */
export interface Kill {
  readonly tick: number;
  readonly run: string;
  readonly instance: string;
  readonly pid: number;
  /** By the store's clock, just after the kill, epoch ms. */
  readonly at: number;
}

/** What one account should have, and has; in cents. */
export interface AccountFacts {
  readonly id: string;
  readonly opened: number;
  /** Sum of what the clients were told was booked. */
  readonly confirmed: number;
  /** Sum of what was booked although the client never got its answer: the instance was killed. */
  readonly unanswered: number;
  /** Sum of the fees in the billing ledger. */
  readonly fees: number;
  /** The balance in Redis. */
  readonly found: number;
}

/** Everything that the verdict is computed from. */
export interface Facts {
  /** False with `--unsafe`: then there are no records. */
  readonly library: boolean;
  readonly window: Window;
  /** The lease that a killed instance leaves behind, ms. */
  readonly lease: number;
  readonly records: readonly TickRecord[];
  readonly journal: readonly JournalEntry[];
  readonly kills: readonly Kill[];
  readonly accounts: readonly AccountFacts[];
  /** What instances logged as errors, and instances that had to be killed when it was time to stop. */
  readonly problems: readonly string[];
}

export interface Check {
  readonly label: string;
  readonly ok: boolean;
  readonly value: string;
  /** What is wrong, or what the value is made of. */
  readonly detail: string;
}

export interface Verdict {
  readonly ok: boolean;
  readonly checks: readonly Check[];
}

/** Counts of the load, for the status line and the verdict. */
export interface LoadCounts {
  sent: number;
  done: number;
  /** Answered, but only after the lock had to be waited for. */
  waited: number;
  /** The longest such wait, ms. */
  longestWait: number;
  refused: number;
  /** No answer: the instance died. */
  cutOff: number;
  /** Any other answer. */
  failed: number;
}

/** One request of the load, to be checked against the books. */
export interface Order {
  readonly reference: string;
  /** What it does to which account, in cents. */
  readonly effects: Readonly<Record<string, number>>;
  answer: 'pending' | 'done' | 'refused' | 'cut off' | 'failed';
}
