import type { WaitOptions } from './semaphore.contract.js';

/**
 * Lets callers in the whole fleet, Redisson's clients included, wait until something has been done a number of times. A latch without
 * a count is open.
 *
 * Every method throws `LockUnavailableError` when Redis could not be asked.
 */
export interface CountDownLatch {
  /** The latch's name, without the module's prefix. */
  readonly name: string;
  /**
   * Closes the latch with a count, unless it is closed.
   * @param count a whole number from 1 to 9007199254740991
   * @returns false when it is closed
   */
  trySetCount(count: number): Promise<boolean>;
  /** Waits until the latch is open. @returns false when `waitTime` is over and it is still closed */
  await(options?: WaitOptions): Promise<boolean>;
  /**
   * Takes one off the count; at 0 the latch opens, and all who wait go on.
   * @throws LockUnavailableError when Redis does not answer; it then goes on in the background, so do not repeat it
   */
  countDown(): Promise<void>;
  /** What is still to be counted down; 0 when the latch is open. */
  getCount(): Promise<number>;
  /** Opens the latch whatever its count; all who wait go on, Redisson's too. @returns whether it was closed */
  delete(): Promise<boolean>;
}
