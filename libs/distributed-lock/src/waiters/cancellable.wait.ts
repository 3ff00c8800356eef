import type { TimerWheel } from '../timing/timer.wheel.js';
import { onAbort } from './abort.listener.js';
import { machine } from '../timing/machine.js';

/** What ends a call before its answer is there. */
export interface WaitLimits {
  readonly signal: AbortSignal | undefined;
  /** In ms; Infinity for no bound. */
  readonly within: number;
  /** What the call rejects with when its time is over. */
  readonly timeUp: () => Error;
}

type GiveBack<T> = (late: T) => Promise<unknown> | undefined;

/** Waits for `answer` no longer than `bounds` allow. After an early end, a later answer is given to `giveBack`. */
export function leaveEarly<T>(
  answer: Promise<T>,
  { signal, within, timeUp }: WaitLimits,
  wheel: TimerWheel,
  giveBack: GiveBack<T>,
): Promise<T> {
  if (within === Infinity) return leaveOnAbort(answer, signal, giveBack);
  return leaveAt(answer, signal, giveBack, (leave) => {
    // After a stall of the event loop the answer may have come already, and only wants to be read.
    const timer = wheel.after(within, () => machine.global.setImmediate(() => leave(timeUp())));
    return () => wheel.cancel(timer);
  });
}

/** As {@link leaveEarly}, for a caller whose signal is the only bound. */
export function leaveOnAbort<T>(
  answer: Promise<T>,
  signal: AbortSignal | undefined,
  giveBack: GiveBack<T>,
): Promise<T> {
  if (signal === undefined) return answer;
  return leaveAt(answer, signal, giveBack, () => () => undefined);
}

/** @param arm calls its argument when the time is over; gives what disarms it */
async function leaveAt<T>(
  answer: Promise<T>,
  signal: AbortSignal | undefined,
  giveBack: GiveBack<T>,
  arm: (leave: (reason: unknown) => void) => () => void,
): Promise<T> {
  let leave: (reason: unknown) => void = () => undefined;
  const left = new Promise<never>((_, reject) => {
    leave = reject;
  });
  const disarm = arm((reason) => leave(reason));
  const unlisten = onAbort(signal, () => leave(signal?.reason));
  if (signal?.aborted === true) leave(signal.reason);
  try {
    return await Promise.race([left, answer]);
  } catch (error) {
    void answer.then(giveBack).catch(() => undefined);
    throw error;
  } finally {
    disarm();
    unlisten();
  }
}
