import type { WaitOptions } from './semaphore.contract.js';

/**
 * Lets callers in the whole fleet, including Redisson's clients, wait until a count reaches 0. A latch
 * without a count is open.
 *
 * Every method throws `LockUnavailableError` if Redis does not answer or refuses the command.
 */
export interface CountDownLatch {
  /** The name of the latch, without the prefix of the module. */
  readonly name: string;
  /**
   * Closes the latch with a count, unless it is already closed.
   * @param count a whole number from 1 to 9007199254740991
   * @returns `false` if the latch is already closed
   */
  trySetCount(count: number): Promise<boolean>;
  /** Waits until the latch is open. @returns `false` if the latch is still closed when `waitTime` ends */
  await(options?: WaitOptions): Promise<boolean>;
  /**
   * Lowers the count by one. At 0 the latch opens and all waiters resume.
   * @throws LockUnavailableError if Redis does not answer; the call is then repeated in the background, so do
   * not repeat it
   */
  countDown(): Promise<void>;
  /** The remaining count; 0 if the latch is open. */
  getCount(): Promise<number>;
  /**
   * Opens the latch, whatever its count. All waiters resume, including Redisson's. @returns whether the latch
   * was closed
   */
  delete(): Promise<boolean>;
}
