import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import type { Timed } from './timed.js';

/** As the matrix has it. */
const PROMPTLY = 200;

/** What is measured in a row, for the table. */
export class RowNotes {
  readonly notes: string[] = [];
  readonly #grants: { readonly what: string; readonly took: number }[] = [];

  /** @internal For {@link expectPrompt}. */
  noteGrant(what: string, took: number): void {
    this.#grants.push({ what, took });
  }

  /** What was measured: of many grants only the slowest. */
  get measured(): string[] {
    const slowest = this.#grants.toSorted((one, other) => other.took - one.took).slice(0, 2);
    const rest = this.#grants.length - slowest.length;
    const grants = slowest.map(
      ({ what, took }) => `${what} granted ${took.toFixed(1)} ms after the release was asked for`,
    );
    return [...this.notes, ...grants, ...(rest > 0 ? [`${rest} more grants were faster`] : [])];
  }

  /** For what has no state that could be looked at: lets time pass. */
  async passed(ms: number): Promise<void> {
    const end = performance.now() + ms;
    await until(`${ms} ms have passed`, () => performance.now() >= end, ms + 1000);
  }
}

/** What was released by `released` was granted by `granted` without waiting for a lease. @param what who, for people */
export function expectPrompt(
  notes: RowNotes,
  what: string,
  released: { readonly from: number },
  granted: Timed<unknown>,
): void {
  const took = granted.at - released.from;
  notes.noteGrant(what, took);
  // Not before, either: the processes share one clock.
  if (took > scaled(PROMPTLY) || took < -2)
    throw new Error(`${what} was granted ${took} ms after the release, which is not promptly`);
}
