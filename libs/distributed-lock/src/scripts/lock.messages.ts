/** Whether a message is a release. Other integers on lock channels are of future versions, and ignored (wire format 1.3). */
export function isRelease(payload: string): boolean {
  return payload === '0' || payload === '1';
}

/** What the last reader of a read/write lock publishes, where a writer publishes `1`. */
export const LAST_READER = '0';

/** Whether a message to a waiter of a fair lock reports that a release has handed the lock off to it. */
export function isHandoff(payload: string): boolean {
  return payload === '2';
}
