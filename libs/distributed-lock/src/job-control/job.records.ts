import type { JobStatus } from '../contracts/job.contract.js';
import type { TickOutcome, TickRecord } from '../contracts/tick.contract.js';
import type { Notice } from '../events/notice.board.js';
import type { JobState } from './job.scripts.js';

const OUTCOMES: ReadonlySet<unknown> = new Set<TickOutcome>([
  'running',
  'completed',
  'failed',
  'crashed',
  'abandoned',
  'handed-over',
  'overlapped',
  'missed',
  'paused',
]);

/** A stored run whose outcome may be one of a newer version. */
type Row = Omit<TickRecord, 'outcome'> & { readonly outcome: string };

/**
 * Reads the records of a job's runs. Unreadable ones are left out: another version of this library may have written them. A run that the
 * newest record shows as running, and that has lost the lock, has died.
 */
export function readRecords({ rows, running }: Pick<JobState, 'rows' | 'running'>): TickRecord[] {
  return rows.flatMap((text) => {
    const row = parse(text);
    if (row === undefined) return [];
    if (row.outcome !== 'running' || running) return [row];
    return [{ ...row, outcome: 'crashed' as const, reason: 'the lease ended before the run did' }];
  });
}

/** Reads the record of a job; undefined when there is none. Unknown fields belong to another version. */
export function readStatus(state: JobState): JobStatus | undefined {
  const { record, running } = state;
  if (record.size === 0) return undefined;
  const number = (field: string) => numberOf(record.get(field));
  const count = (outcome: TickOutcome) => number(outcome) ?? 0;
  const records = readRecords(state);
  const [newest] = records;
  const mark = number('mark');
  const [before, next] = (record.get('next') ?? '').split(' ').map(Number);
  const pause = json(record.get('paused'));
  const pausedBy = propertyOf(pause, 'instance');
  const success = records.find(({ outcome }) => outcome === 'completed')?.end;
  return {
    mark,
    // An older version of this library moves the mark, and leaves the rest as it was.
    next: before === mark ? next : undefined,
    paused: numberOf(propertyOf(pause, 'at')),
    pausedBy: typeof pausedBy === 'string' ? pausedBy : undefined,
    queued: number('queued'),
    handedOver: numberOf(propertyOf(propertyOf(json(record.get('handed')), '0'), 'tick')),
    running: running && newest?.outcome === 'running' ? newest : undefined,
    lastRun: records.find(({ attempt, outcome }) => attempt > 0 && outcome !== 'running'),
    lastSuccess: latest(number('success'), success),
    counts: {
      completed: count('completed'),
      failed: count('failed'),
      crashed: count('crashed'),
      abandoned: count('abandoned'),
      overlapped: count('overlapped'),
      missed: count('missed'),
    },
    app: record.get('app'),
    schedule: record.get('schedule'),
  };
}

/** The notices for records that were just written: every tick that no instance ran, and every run that died. */
export function noticesOf(job: string, rows: readonly string[]): Notice[] {
  return rows.flatMap((text): Notice[] => {
    const row = parse(text);
    if (row === undefined) return [];
    const { tick, after, count = 1, reason = '' } = row;
    const since = after === undefined ? '' : ` since ${new Date(after).toISOString()}`;
    switch (row.outcome) {
      case 'missed':
        return [{ kind: 'tick-missed', lock: job, tick, after, count, why: `${reason}${since}` }];
      case 'crashed':
        return [{ kind: 'tick-crashed', lock: job, tick, attempt: row.attempt, instance: row.instance }];
      case 'abandoned':
        return [
          {
            kind: 'tick-abandoned',
            lock: job,
            tick,
            attempt: row.attempt,
            instance: row.instance,
            why: reason,
          },
        ];
      case 'overlapped':
        return [{ kind: 'tick-skipped', lock: job, tick, why: reason }];
      default:
        return [];
    }
  });
}

function parse(text: string): TickRecord | undefined {
  const row = json(text);
  if (!isRow(row)) return undefined;
  const { outcome } = row;
  if (isOutcome(outcome)) return { ...row, outcome };
  return { ...row, outcome: 'unknown', reason: [outcome, row.reason].filter(Boolean).join(': ') };
}

function json(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** The later one of two instants; that of an older version of this library is not in the record. */
function latest(one = -Infinity, other = -Infinity): number | undefined {
  const later = Math.max(one, other);
  return later === -Infinity ? undefined : later;
}

function isOutcome(outcome: string): outcome is TickOutcome {
  return OUTCOMES.has(outcome);
}

function isRow(row: unknown): row is Row {
  if (typeof row !== 'object' || row === null) return false;
  const { tick, start, attempt, outcome, app, instance }: Partial<Record<keyof TickRecord, unknown>> = row;
  const numbers = [tick, start, attempt].every((value) => typeof value === 'number');
  return numbers && [app, instance, outcome].every((value) => typeof value === 'string');
}
