import { EventEmitter, getMaxListeners, setMaxListeners } from 'node:events';

/**
 * Calls `aborted` when the signal is aborted. Node takes the eleventh listener of a signal for a leak and warns; as many callers
 * that wait under one signal of theirs are none, so a signal with Node's default bound has none from then on.
 * @returns what stops listening
 */
export function onAbort(signal: AbortSignal | undefined, aborted: () => void): () => void {
  if (signal === undefined) return () => undefined;
  if (hasDefaultBound(signal)) setMaxListeners(0, signal);
  signal.addEventListener('abort', aborted);
  return () => signal.removeEventListener('abort', aborted);
}

function hasDefaultBound(signal: AbortSignal): boolean {
  try {
    return getMaxListeners(signal) === EventEmitter.defaultMaxListeners;
  } catch {
    // The signal is of another make; or it has no bound, for which Node 20 throws.
    return false;
  }
}
