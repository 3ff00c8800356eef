/** Payloads of lock channels; other integers are of future versions, and ignored (wire format 1.3). */
export function isRelease(payload: string): boolean {
  return payload === '0' || payload === '1';
}

/** Whether a message to a waiter of a fair lock says that a release has made it the holder. */
export function isHandoff(payload: string): boolean {
  return payload === '2';
}
