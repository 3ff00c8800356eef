import type { CurrentLock } from '../contracts/lock.contract.js';
import type { TickVerdict } from '../contracts/tick.contract.js';

/** A claim, in epoch ms by the schedule. */
export interface TickClaim {
  readonly mode: 'cron' | 'interval' | 'instant' | 'close';
  readonly tick: number;
  /** The instant after it; for an interval the least time since the last start. */
  readonly following?: number | undefined;
  readonly previous?: number | undefined;
  /** How long to go on asking while Redis does not answer, in ms. @default 5 s */
  readonly patience?: number;
  /** The longest the run may last, in ms. @default the module's */
  readonly maxHold?: number | undefined;
}

/** What came of a claim. `refused`: the application shuts down. */
export type TickAnswer =
  | {
      readonly kind: 'granted';
      readonly tick: number;
      readonly run: <T>(work: (lock: CurrentLock) => T | PromiseLike<T>) => Promise<T>;
    }
  | { readonly kind: Exclude<TickVerdict, 'granted'> | 'refused' };
