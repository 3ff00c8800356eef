import { LockConfigurationError } from '../errors/lock.errors.js';
import type { CronMethod } from '../scheduled-methods/cron.method.js';
import { jobKeys } from '../job-control/job.keys.js';
import type { MemoryInstance } from '../memory/memory.instance.js';
import { toBytes } from '../memory/memory.scripts.js';
import type { MemoryStore } from '../memory/memory.store.js';
import { machine } from '../timing/machine.js';

/** The result of `advanceTick()` for one job. */
export interface AdvancedTick {
  /** The key of the job. */
  readonly job: string;
  /**
   * When the tick is due: the next time of the schedule or, if a run waits, the time of that run (see
   * `advanceTick()`).
   */
  readonly tick: Date;
  /** Whether an instance ran the tick. If `true`, the run has ended. */
  readonly ran: boolean;
  /**
   * `granted` if the tick ran; otherwise why it did not: `taken`, `overlapped`, `queued` or `paused` as in
   * `TickSkippedEvent.why`, `refused` (the application shuts down), `off` (the scheduler runs the job on no
   * instance), or `unavailable` (the test has disconnected the store)
   */
  readonly verdict: string;
}

/** One job on one instance. */
interface Place {
  readonly instance: MemoryInstance;
  readonly method: CronMethod;
}

/**
 * Brings the next tick of a job, or of each, about now, on every instance of the store at once: one runs it,
 * the others find it taken. A run that comes before any new tick is run in its place.
 * @returns when the runs have ended; one row per job
 * @throws LockConfigurationError `INVALID_OPTION` where no instance has such a job; what the work throws
 */
export async function advanceTicks(store: MemoryStore, job: string | undefined): Promise<AdvancedTick[]> {
  const places = placesOf(store);
  const own = job === undefined ? undefined : places.get(job);
  if (job !== undefined && own === undefined) throw unknownJob(job, [...places.keys()]);
  const wanted = job === undefined || own === undefined ? [...places] : [[job, own] as const];
  const rows = await Promise.all(wanted.map(([name, of]) => advance(store, name, of)));
  // A job whose schedule has no time any more has no tick, and others have theirs.
  const advanced = rows.filter((row) => row !== undefined);
  if (job !== undefined && advanced.length === 0) throw withoutNext(job);
  return advanced;
}

function nextOf(store: MemoryStore, job: string, [first]: readonly Place[]): number | undefined {
  return first?.method.instants?.nextAfter(lastOf(store, first.instance, job));
}

/** @returns undefined for a job whose schedule has no time any more */
async function advance(
  store: MemoryStore,
  job: string,
  places: readonly Place[],
): Promise<AdvancedTick | undefined> {
  const tick = nextOf(store, job, places);
  if (!store.connection.isOpen) {
    if (tick === undefined) return undefined;
    return { job, tick: new Date(tick), ran: false, verdict: 'unavailable' };
  }
  for (const { method } of places) {
    const waiting = await method.advanceWaiting();
    if (waiting !== undefined) return { job, tick: new Date(waiting), ran: true, verdict: 'granted' };
  }
  if (tick === undefined) return undefined;
  const ends = await Promise.allSettled(places.map(({ method }) => method.advance(tick)));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  const verdicts = ends.flatMap((end) => (end.status === 'fulfilled' && end.value ? [end.value] : []));
  const ran = verdicts.includes('granted');
  // Of the others' answers the first one that decided says why.
  const verdict = ran ? 'granted' : (verdicts.find((said) => said !== 'taken') ?? verdicts[0] ?? 'refused');
  return { job, tick: new Date(tick), ran, verdict };
}

function placesOf(store: MemoryStore): Map<string, Place[]> {
  const places = new Map<string, Place[]>();
  for (const instance of store.instances) {
    for (const method of instance.crons) {
      if (method.instants === undefined) continue;
      places.set(method.job, [...(places.get(method.job) ?? []), { instance, method }]);
    }
  }
  return places;
}

/** What has come so far: the clock, or a tick that was brought about before its time. */
function lastOf(store: MemoryStore, { locks }: MemoryInstance, job: string): number {
  const { record } = jobKeys(locks.ticks.jobs.targetOf(job).key);
  return Math.max(
    machine.global.Date.now(),
    Number(store.keys.read(toBytes(record), 'hash')?.get('mark') ?? 0),
  );
}

function unknownJob(job: string, known: readonly string[]): LockConfigurationError {
  const jobs = known.map((name) => `"${name}"`).join(', ') || 'none';
  return new LockConfigurationError(
    'INVALID_OPTION',
    `No instance on this store has a @Cron method with @DistributedLock for the job "${job}"; known jobs: ${jobs}. Import ScheduleModule.forRoot(), and call init() on the app before advanceTick().`,
    job,
  );
}

function withoutNext(job: string): LockConfigurationError {
  return new LockConfigurationError(
    'INVALID_OPTION',
    `The schedule of the job "${job}" has no next time: its expression has no such date, or its Date has passed.`,
    job,
  );
}
