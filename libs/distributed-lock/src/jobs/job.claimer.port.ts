import type { GrantedTick, TickAnswer, TickClaim } from '../ticks/tick.claim.js';
import type { StoreClock } from '../job-control/store.clock.js';
import type { TimerWheel } from '../timing/timer.wheel.js';

export type { GrantedTick } from '../ticks/tick.claim.js';

/**
 * The causes of a run on an instance without a call by the user. `alarm`: the scheduler's timer. `wait`: an instant by the store's clock.
 * `catch-up`: a missed tick. `settle`: a tick that stood behind a run that had to be made again. `look`: a run that waits in Redis, to be
 * retried, handed over, queued or requested by hand. `advance`: a test.
 */
export const TICK_WAYS = ['alarm', 'wait', 'catch-up', 'settle', 'look', 'advance'] as const;
export type TickWay = (typeof TICK_WAYS)[number];

/** What a tick needs of its job: a claim to the store, and the clocks. */
export interface JobClaims {
  readonly clock: StoreClock;
  readonly wheel: TimerWheel;
  /** Whether other instances have reported themselves lately; of which application, and with which jobs, does not matter. */
  readonly hasOthers: boolean;
  /** Whether no tick is claimed any more. */
  readonly isClosed: boolean;
  /** The newest tick with a verdict, as Redis has last answered; undefined before its first answer, and for a tick of another schedule. */
  readonly mark: number | undefined;
  /** Since when the job has its schedule, in epoch ms by the store's clock: no instant before was due. -Infinity where it never had another one. */
  readonly scheduledSince: number;
  /**
   * Waits until the job is registered: before that it is unknown which of its ticks are to be run.
   * @param tick the one that is claimed next, epoch ms; it is reported as unclaimed when Redis could not be reached
   * @returns false when Redis could not be reached
   */
  ready(tick?: number): Promise<boolean>;
  /**
   * The only way to a run on this instance: no tick is claimed while the job is off here, and a tick that is granted meanwhile is given back.
   * @returns the answer; undefined when the job is off, or Redis could not be reached. The latter is logged
   */
  ask(claim: TickClaim & { readonly way: TickWay }): Promise<TickAnswer | undefined>;
  /**
   * Runs a tick that no alarm of this instance stands for: calls the method, with all decorators around it.
   * @param checksWaiting whether to check afterwards for other runs that wait: there may be no other instance to do it. @default true
   */
  start(granted: GrantedTick, checksWaiting?: boolean): void;
  /**
   * Compares the clocks, and logs what is wrong with them.
   * @param settled the newest tick that has its verdict, epoch ms
   */
  checkClocks(settled?: number): void;
}

/** The ticks of a schedule that have no alarm. */
export interface JobTicks {
  /** The store can be reached, for the first time or again: runs the ticks that were missed meanwhile, as far as the options allow. */
  catchUp(): Promise<void>;
  /** A run that stood before newer ticks has ended. */
  settle(): Promise<void>;
}
