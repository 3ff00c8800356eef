import { readFile } from 'node:fs/promises';

/** A line that an instance wrote: see `test/workers/run.journal.ts`. */
export interface JournalLine {
  readonly mark: 'start' | 'end' | 'abort';
  readonly job: string;
  /** 0: a direct call. */
  readonly tick: number;
  readonly attempt: number;
  /** In ms, by the machine's monotonic clock. */
  readonly at: number;
}

/** One run as its instance wrote it. */
export interface JournalRun {
  readonly job: string;
  readonly tick: number;
  readonly attempt: number;
  readonly instance: number;
  readonly start: number;
  /** When it ended, or its instance was killed; `Infinity` for a run under way. */
  readonly end: number;
  readonly outcome: 'completed' | 'aborted' | 'killed' | 'running';
}

/** Reads a journal; a last line that was cut by a kill is left out. */
export async function readJournal(path: string): Promise<JournalLine[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [mark, job, tick, attempt, at] = line.split(' ');
    if ((mark !== 'start' && mark !== 'end' && mark !== 'abort') || job === undefined || at === undefined)
      return [];
    return [{ mark, job, tick: Number(tick), attempt: Number(attempt), at: Number(at) }];
  });
}

/** @param killedAt when the instance was killed, undefined while it lives */
export function runsOfJournal(
  lines: readonly JournalLine[],
  instance: number,
  killedAt: number | undefined,
): JournalRun[] {
  return lines.flatMap((line, index): JournalRun[] => {
    if (line.mark !== 'start' || line.tick === 0) return [];
    const { job, tick, attempt, at: start } = line;
    const end = lines
      .slice(index + 1)
      .find(
        (other) =>
          other.mark !== 'start' && other.job === job && other.tick === tick && other.attempt === attempt,
      );
    const run = { job, tick, attempt, instance, start };
    if (end !== undefined)
      return [{ ...run, end: end.at, outcome: end.mark === 'end' ? 'completed' : 'aborted' }];
    if (killedAt !== undefined) return [{ ...run, end: Math.max(killedAt, start), outcome: 'killed' }];
    return [{ ...run, end: Infinity, outcome: 'running' }];
  });
}
