import type { FoundHolder, FoundLock, LockInstance } from '../contracts/fleet.contract.js';
import type { JobStatus } from '../contracts/job.contract.js';
import type { TickRecord } from '../contracts/tick.contract.js';
import { instanceLabel } from '../core/instance.names.js';
import { placesOf, type JobPlaces } from '../core/job.places.js';
import type {
  DashboardHolder,
  DashboardInstance,
  DashboardJob,
  DashboardLeadership,
  DashboardLock,
  DashboardRun,
  DashboardTick,
} from './dashboard.model.js';

/** The instances of a fleet as the pages need them. */
export interface KnownInstances {
  /** None where Redis refuses to read them. */
  readonly all: readonly DashboardInstance[];
  readonly leaderships: readonly DashboardLeadership[];
  /** By job. */
  readonly byJob: ReadonlyMap<string, JobPlaces>;
}

/** The most jobs of an instance that are named. */
const MOST_JOBS = 50;

/** `<host>:<pid>:<client id>` without the client id, which is noise for people. */
function placeOf(instance: string): string {
  return instance.replace(/:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/, '');
}

/** A record as the page has it. */
export function runOf(record: TickRecord): DashboardRun {
  const { tick, outcome, attempt, app, start, end, reason, after, count, token } = record;
  return {
    ...{ tick, outcome, attempt, app, start, instance: placeOf(record.instance) },
    ...(end !== undefined && { end }),
    ...(reason !== undefined && { reason }),
    ...(after !== undefined && { after }),
    ...(count !== undefined && { count }),
    ...(record.requestedBy !== undefined && { requestedBy: placeOf(record.requestedBy) }),
    ...(token !== undefined && { token }),
  };
}

/** The strip of a job. @param records newest first */
export function stripOf(records: readonly TickRecord[]): DashboardTick[] {
  return records.toReversed().map(({ tick, outcome, attempt, start, end }) => ({
    tick,
    outcome,
    ...(attempt > 0 && end !== undefined && { took: end - start }),
  }));
}

/** A job as the page has it. */
export function jobOf(
  name: string,
  status: JobStatus,
  strip: readonly DashboardTick[],
  { all, byJob }: Pick<KnownInstances, 'all' | 'byJob'>,
): DashboardJob {
  const { app, schedule, next, paused, pausedBy, queued, handedOver, running, lastRun, lastSuccess } = status;
  const { apps, names } = placesOf(name, app, byJob);
  return {
    name,
    ...(app !== undefined && { app }),
    apps,
    ...(schedule !== undefined && { schedule }),
    ...(next !== undefined && { next }),
    ...(paused !== undefined && { paused }),
    ...(pausedBy !== undefined && { pausedBy: placeOf(pausedBy) }),
    ...(queued !== undefined && { queued }),
    ...(handedOver !== undefined && { handedOver }),
    ...(running !== undefined && { running: runOf(running) }),
    ...(lastRun !== undefined && { lastRun: runOf(lastRun) }),
    ...(lastSuccess !== undefined && { lastSuccess }),
    counts: status.counts,
    instances: names,
    isFleetKnown: all.length > 0,
    strip,
  };
}

/** An instance as the page has it. */
export function instanceOf(instance: LockInstance): DashboardInstance {
  const { id, app, host, pid, version, started, seen, held, waiting, jobs } = instance;
  return {
    ...{ id, app, host, pid, version, started, seen, held, waiting },
    jobs: jobs.slice(0, MOST_JOBS),
    jobsInAll: jobs.length,
    jobsOn: jobs.filter(({ isOn }) => isOn).length,
  };
}

/** The elections of a fleet, by key. */
export function leadershipsOf(instances: readonly LockInstance[]): DashboardLeadership[] {
  const byKey = new Map<string, { leader?: string; candidates: string[] }>();
  for (const instance of instances)
    for (const { key, isLeader } of instance.elections) {
      const election = byKey.get(key) ?? { candidates: [] };
      byKey.set(key, election);
      election.candidates.push(instanceLabel(instance));
      if (isLeader) election.leader ??= instanceLabel(instance);
    }
  return [...byKey]
    .map(([key, { leader, candidates }]) => ({
      key,
      ...(leader !== undefined && { leader }),
      candidates: candidates.toSorted(),
    }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1));
}

/** A lock as the page has it. */
export function lockOf(lock: FoundLock): DashboardLock {
  const { name, key, kind, holders, left, ttl, waiters, waiting } = lock;
  return {
    ...{ name, key, kind, ttl },
    holders: holders.map(holderOf),
    ...(left !== undefined && { left }),
    waiters: waiters.map(holderOf),
    ...(waiting !== undefined && { waiting }),
  };
}

function holderOf({ holder, count, instance }: FoundHolder): DashboardHolder {
  return {
    holder,
    count,
    ...(instance !== undefined && { instance: instanceLabel(instance) }),
  };
}
