import type { TickAnswer, TickClaim } from '../locks/tick.claim.js';
import type { StoreClock } from '../timing/store.clock.js';
import type { TimerWheel } from '../timing/timer.wheel.js';

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
  /**
   * Compares the clocks, and names what is wrong with them.
   * @param settled the newest tick that has its verdict, epoch ms
   */
  checkClocks(settled?: number): void;
}

/** A tick that is this instance's to run. */
export type GrantedTick = Extract<TickAnswer, { kind: 'granted' }>;
