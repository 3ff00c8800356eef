import type { Timed } from './timed.js';

/** What objects of Redisson are told through: one Java thread, as a user of one client. */
export interface JavaCalls {
  /** The client's name. */
  readonly client: string;
  call(verb: string, ...words: readonly (string | number)[]): Promise<Timed<string>>;
}

/** The word for a number that may be left out. */
export function given(value: number | undefined): readonly number[] {
  return value === undefined ? [] : [value];
}

export function isTrue({ value, from, at }: Timed<string>): Timed<boolean> {
  return { value: value === 'true', from, at };
}
