import type { TickRecord } from '../../libs/distributed-lock/src/contracts/tick.contract.js';
import { rowOf } from './tick.store.js';

/** A stretch of instants that one row stands for. */
interface Gap {
  readonly after: number;
  readonly to: number;
}

/** All rows that were seen of one job: the store keeps the newest 50. */
export class JobEvidence {
  /** By the token of the run. */
  readonly runs = new Map<string, TickRecord>();
  readonly #ticks = new Set<number>();
  readonly #gaps: Gap[] = [];
  #newest: string | undefined;

  /** Takes the rows that were not seen before. @param stored newest first @returns them, oldest first */
  take(stored: readonly string[]): TickRecord[] {
    const known = this.#newest === undefined ? -1 : stored.indexOf(this.#newest);
    const rows = stored.slice(0, known === -1 ? stored.length : known).map(rowOf);
    this.#newest = stored[0] ?? this.#newest;
    for (const row of rows) this.#add(row);
    return rows.toReversed();
  }

  /** Whether a row says what became of a tick. */
  accountsFor(tick: number): boolean {
    return this.#ticks.has(tick) || this.#gaps.some(({ after, to }) => after < tick && tick <= to);
  }

  #add(row: TickRecord): void {
    if (row.token !== undefined) this.runs.set(row.token, row);
    if (row.after !== undefined) this.#gaps.push({ after: row.after, to: row.tick });
    // What was handed over is still to be run.
    else if (row.outcome !== 'handed-over' && row.requestedBy === undefined) this.#ticks.add(row.tick);
  }
}
