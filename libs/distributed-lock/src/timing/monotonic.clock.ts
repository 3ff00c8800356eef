import { machine } from './machine.js';
/**
 * Milliseconds that never step: leases are counted by it. It goes on while the process is stopped by a signal,
 * and stands still while the machine is suspended (on Linux), which {@link suspendedFor} makes visible.
 */
export function now(): number {
  return machine.global.performance.now();
}

/** The wall clock when this process began with us. */
const BEGIN = machine.global.Date.now();

/** The wall clock in ms from an instant of this process, not from 1970: for 24 days that is a small integer, which is no object. */
export function wallTime(): number {
  return machine.global.Date.now() - BEGIN;
}

/** A {@link wallTime} in epoch ms. */
export function epochOf(time: number): number {
  return BEGIN + time;
}

/**
 * How far the wall clock is ahead of the monotonic one, which says `at` now, in whole ms: constant, unless a clock was set or the
 * machine was suspended.
 */
export function wallOffset(at: number = now()): number {
  return Math.round(wallTime() - at);
}

/** How far the wall clock ran ahead of the monotonic one since `offset` was read; never negative. */
export function suspendedFor(offset: number, at: number = now()): number {
  return Math.max(0, wallTime() - at - offset);
}
