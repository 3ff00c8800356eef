/**
 * Milliseconds that never step: leases are counted by it. It goes on while the process is stopped by a signal,
 * and stands still while the machine is suspended (on Linux), which {@link suspendedFor} makes visible.
 */
export function now(): number {
  return performance.now();
}

/** The wall clock when this process began with us. */
const BEGIN = Date.now();

/**
 * How far the wall clock is ahead of the monotonic one, which says `at` now: constant, unless a clock was set or the machine was
 * suspended. In whole ms from an instant of this process, not from 1970: a small integer is no object, and each lease keeps one.
 */
export function wallOffset(at: number = now()): number {
  return Math.round(Date.now() - BEGIN - at);
}

/** A monotonic instant in epoch ms, by the clocks as they were when `offset` was read. */
export function epochOf(at: number, offset: number): number {
  return Math.round(BEGIN + at + offset);
}

/** How far the wall clock ran ahead of the monotonic one since `offset` was read; never negative. */
export function suspendedFor(offset: number, at: number = now()): number {
  return Math.max(0, wallOffset(at) - offset);
}
