import type { FoundLock, LockInstance } from '../contracts/fleet.contract.js';
import type { ListedJob } from '../contracts/job.contract.js';
import type { CommandContext } from '../command-line/command.context.js';
import { EXIT } from '../command-line/exit.codes.js';
import { instancesIn, withLocks } from '../command-line/with.locks.js';
import { LockUnavailableError } from '../errors/lock.errors.js';
import { showTime } from '../lock-list/lock.view.js';
import type { LockService } from '../service/lock.service.js';
import { instanceLabel } from '../core/instance.names.js';
import { placesByJob } from '../core/job.places.js';
import { onCount, showInstant, stateOf } from './job.view.js';

/** The time between two readings, in ms. */
const PERIOD = 1000;

/** The lines that are no rows of a table. */
const FRAME = 8;

/** What one reading has found. */
interface Reading {
  readonly at: number | undefined;
  readonly jobs: readonly ListedJob[];
  readonly locks: readonly FoundLock[];
  /** Whether there are more. */
  readonly isCut: boolean;
  readonly instances: readonly LockInstance[];
}

/** `top`: jobs and locks, read each second until it is interrupted. Without a terminal once, with `--json` a line for each reading. */
export async function top(context: CommandContext): Promise<number> {
  const { line, terminal, wheel } = context;
  const interrupted = new Promise<true>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(true));
  });
  return await withLocks(context, async (locks) => {
    for (;;) {
      const reading = await read(locks);
      if (line.isJson) terminal.json(reading instanceof Error ? { error: reading.message } : reading);
      else if (terminal.rows === undefined) draw(context, reading, Infinity);
      else {
        const rows = terminal.rows;
        terminal.screen(() => draw(context, reading, rows));
      }
      if (!line.isJson && terminal.rows === undefined)
        return reading instanceof Error ? EXIT.unavailable : EXIT.done;
      if (await Promise.race([interrupted, wheel.pause(PERIOD)])) return EXIT.done;
    }
  });
}

async function read(locks: LockService): Promise<Reading | LockUnavailableError> {
  try {
    const [jobs, page, instances] = await Promise.all([
      locks.jobs.list(),
      locks.fleet.locks({ limit: 200 }),
      instancesIn(locks),
    ]);
    return {
      at: locks.ticks.clock.now(),
      jobs,
      locks: page.locks,
      isCut: page.next !== undefined,
      instances,
    };
  } catch (error) {
    // Redis may come back.
    if (error instanceof LockUnavailableError) return error;
    throw error;
  }
}

function draw({ terminal, line }: CommandContext, reading: Reading | Error, rows: number): void {
  if (reading instanceof Error) return terminal.line(reading.message);
  const { at, jobs, locks, isCut, instances } = reading;
  const running = jobs.filter(({ running: run }) => run !== undefined).length;
  terminal.line(
    `${showInstant(at === undefined ? undefined : Math.round(at))}   prefix "${line.prefix}"   ${instances.length} instances   ${jobs.length} jobs, ${running} running   ${locks.length}${isCut ? ' or more' : ''} locks`,
  );
  terminal.line();
  // Jobs come first; the locks have what is left of the screen, and a third of it at least.
  const space = Math.max(rows - FRAME, 4);
  const forJobs = Math.min(jobs.length, Math.max(space - locks.length, Math.ceil((space * 2) / 3)));
  const byJob = placesByJob(instances);
  terminal.table(
    ['JOB', 'STATE', 'ON', 'NEXT', 'LAST RUN', 'OUTCOME'],
    jobs
      .slice(0, forJobs)
      .map((job) => [
        job.job,
        stateOf(job, at),
        onCount(job, instances.length === 0 ? undefined : (byJob.get(job.job)?.on.length ?? 0)),
        job.next === undefined || job.paused !== undefined || at === undefined
          ? '-'
          : distance(job.next - at),
        job.lastRun === undefined || at === undefined ? '-' : distance(job.lastRun.start - at),
        job.lastRun?.outcome ?? '-',
      ]),
  );
  terminal.line();
  terminal.table(
    ['LOCK', 'KIND', 'HOLDER', 'LEASE', 'WAITING'],
    locks
      .slice(0, space - forJobs)
      .map((lock) => [lock.name, lock.kind, holderOf(lock), showTime(lock.ttl), `${lock.waiting ?? '-'}`]),
  );
}

function holderOf({ holders, left }: FoundLock): string {
  const [first] = holders;
  if (first === undefined) return left === undefined ? '-' : `${left} left`;
  return first.instance === undefined ? first.holder : instanceLabel(first.instance);
}

/** `in 12 s`, `3 min ago`. */
function distance(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  const text =
    seconds < 120
      ? `${seconds} s`
      : seconds < 7200
        ? `${Math.round(seconds / 60)} min`
        : `${Math.round(seconds / 3600)} h`;
  return ms < 0 ? `${text} ago` : `in ${text}`;
}
