/**
 * Milliseconds that never step: leases are counted by it. It goes on while the process is stopped by a signal,
 * and stands still while the machine is suspended (on Linux), which {@link suspendedFor} makes visible.
 */
export function now(): number {
  return performance.now();
}

/** The wall clock minus the monotonic one, which says `at` now: constant, unless a clock was set or the machine was suspended. */
export function wallOffset(at: number = now()): number {
  return Date.now() - at;
}

/** How far the wall clock ran ahead of the monotonic one since `offset` was read; never negative. */
export function suspendedFor(offset: number, at: number = now()): number {
  return Math.max(0, wallOffset(at) - offset);
}
