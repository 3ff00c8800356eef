/** How a register is written: without a look at anything, after a look at `isHeld`, or with the token. */
export type Manner = 'blind' | 'looked' | 'fenced';

/** The keys of a register in Redis: its value, how often it was written, and the fence. */
export function registerKeys(
  lock: string,
  manner: Manner,
): { readonly value: string; readonly writes: string; readonly fence: string } {
  const base = `register:${manner}:${lock}`;
  return { value: `${base}:value`, writes: `${base}:writes`, fence: `${base}:fence` };
}

/** The name of a register outside of Redis. */
export function outsideName(lock: string, manner: Manner): string {
  return `${manner}:${lock}`;
}
