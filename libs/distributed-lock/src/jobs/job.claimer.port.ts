import type { GrantedTick, TickAnswer, TickClaim } from '../ticks/tick.claim.js';
import type { StoreClock } from '../ticks/store.clock.js';
import type { TimerWheel } from '../timing/timer.wheel.js';

export type { GrantedTick } from '../ticks/tick.claim.js';

/**
 * What can begin a run on an instance that no call of the user's begins. `alarm`: the scheduler's timer. `wait`: an instant by the store's
 * clock. `catch-up`: what was missed. `settle`: what stood behind a run that had to be made again. `look`: what waits in Redis, be it to be
 * retried, handed over, queued or asked for by hand. `advance`: a test.
 */
export const TICK_WAYS = ['alarm', 'wait', 'catch-up', 'settle', 'look', 'advance'] as const;
export type TickWay = (typeof TICK_WAYS)[number];

/** What a tick needs of its job: somebody who asks the store, and the clocks. */
export interface JobClaims {
  readonly clock: StoreClock;
  readonly wheel: TimerWheel;
  /** Whether no tick is asked for any more. */
  readonly isClosed: boolean;
  /**
   * Waits until the job is registered: before that nobody knows which of its ticks are to be run.
   * @returns false when Redis could not be asked
   */
  ready(): Promise<boolean>;
  /**
   * The one door to a run on this instance: nothing is asked for while the job is off here, and what is granted meanwhile is given back.
   * @returns the answer; undefined when the job is off, or Redis could not be asked. The latter is in the journal
   */
  ask(claim: TickClaim & { readonly way: TickWay }): Promise<TickAnswer | undefined>;
  /** Runs a tick that no alarm stands for. */
  start(granted: GrantedTick): void;
  /**
   * Compares the clocks, and names what is wrong with them.
   * @param settled the newest tick that has its verdict, epoch ms
   */
  checkClocks(settled?: number): void;
}

/** What the ticks of a schedule do where no alarm does. */
export interface JobTicks {
  /** The store is there, for the first time or again: runs what was missed meanwhile, as far as that is wanted. */
  catchUp(): Promise<void>;
  /** What stood before newer ticks is done with. */
  settle(): Promise<void>;
}
