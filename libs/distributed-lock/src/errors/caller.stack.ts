/**
 * Resolves as `make` does, which is called when an error that it makes has a stack that leads to whoever waits for this: to be
 * given to the `resolve` of a promise that is awaited there. V8 goes from what runs to the function that awaits it, and the two
 * are linked two steps from now.
 */
export async function forCaller<T>(make: () => T): Promise<T> {
  for (let steps = 0; steps < 2; steps += 1) await undefined;
  return make();
}

/** Rejects with an error that was made elsewhere, such as in a timer, as {@link forCaller} does. */
export function toCaller(error: Error): Promise<never> {
  return forCaller(() => {
    Error.captureStackTrace(error);
    throw error;
  });
}
