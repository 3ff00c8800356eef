import { machine } from '../timing/machine.js';

/**
 * How long a client waits before it connects again, in ms. The first attempt comes soon: a cut connection is more frequent than a server
 * that is gone.
 * @param attempt 1 for the first one
 */
export function retryPause(attempt: number): number {
  return Math.min(20 * 2 ** Math.min(attempt - 1, 6), 500) * (0.8 + 0.2 * machine.global.Math.random());
}
