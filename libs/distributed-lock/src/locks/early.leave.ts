import type { Timer, TimerWheel } from '../timing/timer.wheel.js';
import { onAbort } from '../waiting/abort.listener.js';

/** What ends a call before its answer is there. */
export interface Bounds {
  readonly signal: AbortSignal | undefined;
  /** In ms; Infinity for no bound. */
  readonly within: number;
  /** What the call rejects with when its time is over. */
  readonly timeUp: () => Error;
}

/** Waits for `answer` no longer than `bounds` allow. Who leaves early gives back, by `giveBack`, what comes later. */
export async function leaveEarly<T>(
  answer: Promise<T>,
  { signal, within, timeUp }: Bounds,
  wheel: TimerWheel,
  giveBack: (late: T) => Promise<unknown> | undefined,
): Promise<T> {
  let leave: (reason: unknown) => void = () => undefined;
  const left = new Promise<never>((_, reject) => {
    leave = reject;
  });
  // After a stall of the event loop the answer may have come already, and only wants to be read.
  const timer: Timer | undefined =
    within === Infinity ? undefined : wheel.after(within, () => setImmediate(() => leave(timeUp())));
  const unlisten = onAbort(signal, () => leave(signal?.reason));
  if (signal?.aborted === true) leave(signal.reason);
  try {
    return await Promise.race([left, answer]);
  } catch (error) {
    void answer.then(giveBack).catch(() => undefined);
    throw error;
  } finally {
    wheel.cancel(timer);
    unlisten();
  }
}
