import type { CurrentLock, WorkResult } from '../contracts/lock.contract.js';
import type { TickPolicies, TickVerdict } from '../contracts/tick.contract.js';
import type { TickSkippedEvent } from '../events/lock.event.types.js';
import type { RunListener } from './run.listener.js';
import type { Waiting } from './tick.scripts.js';

/** A claim, in epoch ms by the schedule. */
export interface TickClaim {
  /** `again`: claims no tick of its own, but any run that waits in Redis. */
  readonly mode: 'cron' | 'interval' | 'instant' | 'close' | 'again';
  readonly tick: number;
  /** The instant after it; for an interval the least time since the last start. */
  readonly following?: number | undefined;
  readonly previous?: number | undefined;
  /** The number of instants behind an earlier mark, up to `previous`; undefined if there are none, or they were not counted. */
  readonly gap?: { readonly from: number; readonly count: number } | undefined;
  /** When the run of the instant after it starts, where that is not the instant itself. */
  readonly due?: number | undefined;
  /** How long the claim is repeated while Redis does not answer, in ms. @default 5 s */
  readonly timeout?: number;
  /** Whether a run may begin on this instance: if not, a granted tick is given back. @default always */
  readonly mayBegin?: (() => boolean) | undefined;
  /** Called when Redis may have received the claim and no answer came, as soon as the claim can have no effect any more. */
  readonly unanswered?: (() => void) | undefined;
  /** Called when the work of a run has ended, and its end was not stored: the run had lost its lock, or Redis took no command before its lease ended. */
  readonly lost?: (() => void) | undefined;
  /** Is notified of the runs that the claim brings. */
  readonly runs?: RunListener | undefined;
  /** @default `skip`, without a grace */
  readonly policies?: TickPolicies | undefined;
  /** Whether another instance takes the run over when this one shuts down. @default true, except for an `instant` */
  readonly isFleets?: boolean;
}

/** A tick that was granted to this instance. */
export interface GrantedTick {
  readonly kind: 'granted';
  /** Older than the claimed tick, where an older one has to be run again. */
  readonly tick: number;
  /** Runs the work, once. If no run may begin here any more, the work is not run and the tick is given back. */
  readonly run: <T>(work: (lock: CurrentLock) => WorkResult<T>) => Promise<T | undefined>;
  /** Gives the tick back if the work has not begun: another instance runs it where none may begin here, otherwise it has failed. */
  readonly giveBack: () => Promise<void>;
}

/** The result of a claim. `refused`: the application shuts down, or no run may begin here any more. */
export type TickAnswer =
  | GrantedTick
  | ({ readonly kind: Exclude<TickVerdict, 'granted'> } & Waiting)
  | { readonly kind: 'refused' };

/** Whether a verdict means that another instance runs the tick, or none does for now. */
export function isSkipped(verdict: string): verdict is TickSkippedEvent['why'] {
  return ['taken', 'overlapped', 'queued', 'paused'].includes(verdict);
}

/** Whether the claimed tick has its verdict by now, for all instances. */
export function isVerdict(answer: TickAnswer, tick: number): boolean {
  return answer.kind === 'granted' ? answer.tick === tick : answer.kind !== 'refused' && answer.mark >= tick;
}
