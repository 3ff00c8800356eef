import type { WaitOptions } from './semaphore.contract.js';

/**
 * Lets callers in the whole fleet, including Redisson's clients, wait until a count reaches 0. A latch without
 * a count is open.
 */
export interface CountDownLatch {
  /** The name of the latch, without the prefix of the module. */
  readonly name: string;
  /**
   * Sets the count, which closes the latch. Does nothing if the latch is already closed.
   * @param count a whole number from 1 to 9007199254740991
   * @returns `false` if the latch was already closed
   * @throws LockUnavailableError
   * @throws LockConfigurationError `INVALID_OPTION` for an invalid count
   */
  trySetCount(count: number): Promise<boolean>;
  /**
   * Waits until the latch is open.
   * @returns `false` if the latch is still closed when `waitTime` ends
   * @throws LockUnavailableError as `Lockable.lock`
   * @throws LockNotAcquiredError `TOO_MANY_WAITERS` if too many callers of this process wait
   * @throws LockConfigurationError `INVALID_OPTION` for an invalid option
   */
  await(options?: WaitOptions): Promise<boolean>;
  /**
   * Lowers the count by one. At 0 the latch opens and all waiters resume. Does nothing if the latch is open.
   * @throws LockUnavailableError. Do not call again if Redis did not answer: the library repeats the
   * command in the background
   */
  countDown(): Promise<void>;
  /**
   * The remaining count; 0 if the latch is open.
   * @throws LockUnavailableError
   */
  getCount(): Promise<number>;
  /**
   * Opens the latch, whatever its count. All waiters resume, including Redisson's.
   * @returns whether the latch was closed
   * @throws LockUnavailableError
   */
  delete(): Promise<boolean>;
}
