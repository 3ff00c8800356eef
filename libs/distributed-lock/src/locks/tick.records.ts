import type { TickOutcome, TickRecord } from '../contracts/tick.contract.js';

const OUTCOMES: ReadonlySet<unknown> = new Set<TickOutcome>([
  'running',
  'completed',
  'failed',
  'crashed',
  'overlapped',
  'missed',
]);

/**
 * Reads a job's rows. Rows that cannot be read are left out: another version of this library may have written them.
 * @param running whether the run that the newest row calls running still has the lock; if not, it died
 */
export function readRecords(rows: readonly string[], running: boolean): TickRecord[] {
  return rows.flatMap((text) => {
    const row = parse(text);
    if (row === undefined) return [];
    if (row.outcome !== 'running' || running) return [row];
    return [{ ...row, outcome: 'crashed' as const, reason: 'the lease ended before the run did' }];
  });
}

function parse(text: string): TickRecord | undefined {
  let row: unknown;
  try {
    row = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isRecord(row) ? row : undefined;
}

function isRecord(row: unknown): row is TickRecord {
  if (typeof row !== 'object' || row === null) return false;
  const { tick, start, attempt, outcome, app, instance }: Partial<Record<keyof TickRecord, unknown>> = row;
  const numbers = [tick, start, attempt].every((value) => typeof value === 'number');
  return numbers && typeof app === 'string' && typeof instance === 'string' && OUTCOMES.has(outcome);
}
