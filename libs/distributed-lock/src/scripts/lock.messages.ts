/** Payloads of lock channels; other integers are of future versions, and ignored (wire format 1.3). */
export function tellsOfLock(payload: string): boolean {
  return payload === '0' || payload === '1';
}

/**
 * Reads a message to a waiter of a fair lock.
 * @returns after which of its questions a release has made it the holder; undefined for a message that only wakes it
 */
export function givenAfter(payload: string): number | undefined {
  return /^-[1-9][0-9]*$/.test(payload) ? -Number(payload) : undefined;
}
