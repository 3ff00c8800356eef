import { machine } from '../timing/machine.js';

/** How long after the end of a lease a process checks whether the lock is free, in ms: at least, and with a random part. Few processes do. */
const LATER = { floor: 5, jitter: 10 };

/** The longest of these times. */
export const LATEST = LATER.floor + LATER.jitter;

/** When a lock is to be checked whose holder has `ttl` ms left, in ms from now. */
export function afterLease(ttl: number): number {
  return ttl + LATER.floor + machine.global.Math.random() * LATER.jitter;
}
