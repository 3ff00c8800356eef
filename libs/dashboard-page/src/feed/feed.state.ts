import type {
  DashboardInstance,
  DashboardJob,
  DashboardLeadership,
  JobEvent,
  JobsEvent,
  LocksEvent,
  TroubleEvent,
} from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';
import { LONG, queryOf, type Route } from '../router.js';

/** What a connection carries. */
export type Topic =
  | { readonly topic: 'jobs' }
  | { readonly topic: 'job'; readonly name: string; readonly records?: string }
  | { readonly topic: 'locks'; readonly prefix: string };

/**
 * - `connecting`: the first answer has not come.
 * - `live`: events arrive.
 * - `lost`: the connection ended, and is tried again.
 * - `refused`: the application answered 401 or 403, or with a page to sign in.
 */
export type Connection = 'connecting' | 'live' | 'lost' | 'refused';

/** All jobs, instances and leaderships. */
export interface FleetData {
  readonly at: number;
  readonly jobs: ReadonlyMap<string, DashboardJob>;
  readonly instances: readonly DashboardInstance[];
  readonly leaderships: readonly DashboardLeadership[];
  readonly isCut: boolean;
}

export interface FeedState {
  readonly connection: Connection;
  /** Of a refusal, where it had one. */
  readonly status?: number | undefined;
  readonly trouble?: TroubleEvent | undefined;
  readonly fleet?: FleetData | undefined;
  readonly job?: (JobEvent & { readonly name: string }) | undefined;
  readonly locks?: (LocksEvent & { readonly prefix: string }) | undefined;
}

/** The topic of a page: jobs, instances and leaders share one. */
export function topicOf(route: Route): Topic {
  if (route.page === 'job')
    return { topic: 'job', name: route.name, ...(route.isLong === true ? { records: LONG } : {}) };
  return route.page === 'locks' ? { topic: 'locks', prefix: route.prefix } : { topic: 'jobs' };
}

/** The path of a topic's events, from the root of the board. */
export function pathOf(topic: Topic): string {
  const query = queryOf({ ...topic });
  // The beginning of all names is part of the request, too.
  return `api/events${query}${topic.topic === 'locks' && topic.prefix === '' ? '&prefix=' : ''}`;
}

/** When the figures of a topic were read; undefined while there are none. */
export function readAt(state: FeedState, topic: Topic): number | undefined {
  if (topic.topic === 'jobs') return state.fleet?.at;
  if (topic.topic === 'job') return state.job?.name === topic.name ? state.job.at : undefined;
  return state.locks?.at;
}

/** Jobs and instances that an event does not name stay the same objects, so that their rows are not rendered again. */
export function mergeFleet(fleet: FleetData | undefined, event: JobsEvent): FleetData {
  const { at, isWhole, leaderships, isCut } = event;
  const before = isWhole ? undefined : fleet;
  const jobs = merge(before?.jobs, event.jobs, event.gone, ({ name }) => name);
  const byId = new Map(before?.instances.map((instance) => [instance.id, instance]));
  const instances = merge(byId, event.instances, event.goneInstances, ({ id }) => id);
  return {
    ...{ at, jobs, leaderships, isCut },
    instances:
      before !== undefined && instances === byId
        ? before.instances
        : [...instances.values()].toSorted(byPlace),
  };
}

/** @returns the same map where nothing changes */
function merge<T>(
  known: ReadonlyMap<string, T> = new Map(),
  changed: readonly T[],
  gone: readonly string[],
  keyOf: (item: T) => string,
): ReadonlyMap<string, T> {
  if (changed.length === 0 && gone.length === 0) return known;
  const merged = new Map(known);
  for (const item of changed) merged.set(keyOf(item), item);
  for (const key of gone) merged.delete(key);
  return merged;
}

function byPlace(one: DashboardInstance, other: DashboardInstance): number {
  if (one.app !== other.app) return one.app < other.app ? -1 : 1;
  if (one.host !== other.host) return one.host < other.host ? -1 : 1;
  return one.pid - other.pid;
}
