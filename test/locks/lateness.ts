import { setTimeout as sleep } from 'node:timers/promises';

/** How a call ended, and how much later than it should have. */
export interface CallEnd {
  /** What it rejected with, or gave. */
  readonly end: unknown;
  /** In ms, against a plain timer that was set with it: what a slow machine adds, it adds to both. */
  readonly late: number;
}

/** Waits for the end of a call that should take `expected` ms. */
export async function endOf(expected: number, call: () => Promise<unknown>): Promise<CallEnd> {
  const timer = sleep(expected).then(() => performance.now());
  let at = 0;
  const ended = call().then(
    (value) => {
      at = performance.now();
      return value;
    },
    (error: unknown) => {
      at = performance.now();
      return error;
    },
  );
  const end = await ended;
  return { end, late: at - (await timer) };
}
