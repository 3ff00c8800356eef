import type { GrantedTick, TickAnswer, TickClaim } from '../locks/tick.claim.js';
import type { StoreClock } from '../timing/store.clock.js';
import type { TimerWheel } from '../timing/timer.wheel.js';

export type { GrantedTick } from '../locks/tick.claim.js';

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
  /** @returns the answer; undefined when Redis could not be asked. Either is in the journal */
  ask(claim: TickClaim): Promise<TickAnswer | undefined>;
  /** Runs a tick that no alarm stands for. */
  start(granted: GrantedTick): void;
  /** While it is set, nothing is run here but by an alarm. */
  rest(isResting: boolean): void;
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
