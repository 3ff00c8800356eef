import { scaled } from '../support/slowness.js';

/** What must always hold; I6 has tests of its own. */
export type Invariant = 'I1' | 'I2' | 'I3' | 'I4' | 'I5' | 'I7' | 'I8' | 'I9';

/** Something that must not be. */
export interface Violation {
  readonly invariant: Invariant;
  readonly what: string;
  /** µs */
  readonly at: number;
  /** The calls that it is about. */
  readonly calls: readonly string[];
}

/** What one check has found, and how much it has looked at: a check that judged nothing has proved nothing. */
export interface Finding {
  readonly violations: readonly Violation[];
  readonly judged: Readonly<Record<string, number>>;
}

/** Milliseconds in µs. */
export const MS = 1000;

/** How late a machine may be beside what the invariant allows, in µs. */
export const LATE = scaled(150) * MS;

/** How long before the end of a lease its holder stops believing in it: the library's own rule, in µs. */
export function marginOf(lease: number): number {
  return Math.max(20, lease / 20) * MS;
}

export function ms(micros: number): string {
  return `${(micros / MS).toFixed(1)} ms`;
}
