/** A run of a tick. */
export interface RunOfTick {
  /** Epoch ms. */
  readonly tick: number;
  /** 1 for the first run of the tick. */
  readonly attempt: number;
}

/** A tick whose last run has crashed. */
export interface AbandonedTick extends RunOfTick {
  /** The instance of the last run. */
  readonly instance: string;
  readonly why: string;
}

/** How a run ended, and why it failed. */
export type RunEnd =
  | { readonly outcome: 'completed' }
  | { readonly outcome: 'handed-over' }
  | { readonly outcome: 'failed'; readonly error: unknown };

/** Is notified of what the claims of this instance bring. Must not throw. */
export interface RunListener {
  /**
   * The work of a run begins here, after this call.
   * @returns called once: when the outcome is stored or its storage is given up, or at once when the lease is lost
   */
  began(run: RunOfTick): (end: RunEnd) => void;
  /** A claim has recorded the tick as abandoned. */
  abandoned(tick: AbandonedTick): void;
}
