import type { CurrentLock, WorkResult } from '../contracts/lock.contract.js';
import type { TickPolicies, TickVerdict } from '../contracts/tick.contract.js';
import type { TickSkippedEvent } from '../events/lock.listener.js';
import type { Waiting } from './tick.scripts.js';

/** A claim, in epoch ms by the schedule. */
export interface TickClaim {
  /** `again`: no tick of its own, but what waits to be run. */
  readonly mode: 'cron' | 'interval' | 'instant' | 'close' | 'again';
  readonly tick: number;
  /** The instant after it; for an interval the least time since the last start. */
  readonly following?: number | undefined;
  readonly previous?: number | undefined;
  /** How long to go on asking while Redis does not answer, in ms. @default 5 s */
  readonly patience?: number;
  /** Whether a run may begin here: a tick that was granted to an instance which may not is given back. @default always */
  readonly mayBegin?: (() => boolean) | undefined;
  /** Called where Redis may have heard the claim and the answer never came, when the claim can have no effect any more. */
  readonly unheard?: (() => void) | undefined;
  /** @default `skip`, without a grace */
  readonly policies?: TickPolicies | undefined;
}

/** A tick that is this instance's to run. */
export interface GrantedTick {
  readonly kind: 'granted';
  /** An older one than that which was asked for, where one has to be run again. */
  readonly tick: number;
  /** Runs the work, once; without running it where none may begin here by now: the tick is then given back. */
  readonly run: <T>(work: (lock: CurrentLock) => WorkResult<T>) => Promise<T | undefined>;
  /** Lets go of it, if the work has not begun: where none may begin here another instance runs it, else it has failed. */
  readonly giveBack: () => Promise<void>;
}

/** What came of a claim. `refused`: the application shuts down, or no run may begin here any more. */
export type TickAnswer =
  GrantedTick | ({ readonly kind: Exclude<TickVerdict, 'granted'> } & Waiting) | { readonly kind: 'refused' };

/** Whether a verdict means that somebody else runs the tick, or nobody for now. */
export function isSkipped(verdict: string): verdict is TickSkippedEvent['why'] {
  return ['taken', 'overlapped', 'queued', 'paused'].includes(verdict);
}
