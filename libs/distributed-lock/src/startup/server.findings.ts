import { GIVE_THE_CLUSTER } from '../errors/redis.refusals.js';
import type { ServerFacts } from './server.facts.js';

/** The result of a check of a server. `skip`: the check was not possible, or there was nothing to check. */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail' | 'skip';
  /** What the check found. */
  readonly text: string;
  /** The remedy for the reader; absent where all is well. */
  readonly remedy?: string | undefined;
  /** Whether the server withheld it, as managed ones may. */
  readonly isWithheld?: boolean;
}

/** Older servers lack commands of the scripts. */
const LEAST_VERSION = [6, 2] as const;

/** A share of the memory above which it is about to be full. */
const NEARLY_FULL = 0.9;

/** Seconds without contact from a replica that are worth a warning. */
const LAGGING = 10;

/** The findings that follow from the facts of a server, without further commands. */
export function judgeFacts(facts: ServerFacts): Finding[] {
  return [judgeVersion(facts), judgeRole(facts), judgeEviction(facts), judgeReplicas(facts)];
}

/** The finding for a client that knows this server alone; none where all is well. */
export function judgeOneServer({ isNode }: ServerFacts): Finding[] {
  if (!isNode) return [];
  const text = 'this is a node of a cluster: locks of other nodes, if there are any, are refused';
  return [warn('cluster', text, GIVE_THE_CLUSTER)];
}

function judgeVersion({ product, version, level }: ServerFacts): Finding {
  const check = 'version';
  if (version === undefined || level === undefined)
    return withheld(check, 'its version', 'Make sure that it is Redis 6.2 or newer.');
  const text = `${product} ${version}`;
  const [major = 0, minor = 0] = level.split('.').map(Number);
  const isOld = major < LEAST_VERSION[0] || (major === LEAST_VERSION[0] && minor < LEAST_VERSION[1]);
  return isOld
    ? fail(check, `${text} is too old`, 'Update to Redis 6.2 or newer, or to Valkey.')
    : ok(check, text);
}

function judgeRole({ role, isSentinel }: ServerFacts): Finding {
  const check = 'role';
  if (isSentinel)
    return fail(
      check,
      'this is a sentinel: it keeps no data',
      'Give the address of the master. An application gives the sentinels in its option redis.',
    );
  if (role === undefined) return withheld(check, 'its role', 'Make sure that it is a master.');
  return role === 'master'
    ? ok(check, 'master')
    : fail(
        check,
        'this is a replica: it takes no writes, so no lock can be acquired',
        'Give the address of the master, or the sentinels.',
      );
}

function judgeEviction({ policy, memoryLimit, memoryUsed }: ServerFacts): Finding {
  const check = 'eviction';
  const remedy = 'Set maxmemory-policy noeviction, or give the locks a Redis of their own.';
  if (policy === undefined)
    return withheld(
      check,
      'its eviction policy',
      'Check the settings of your provider: the policy must be noeviction.',
    );
  if (policy !== 'noeviction')
    return memoryLimit === 0
      ? warn(check, `${policy}: held locks can be evicted as soon as maxmemory is set`, remedy)
      : fail(
          check,
          `${policy}: held locks are evicted when the memory (${bytes(memoryLimit)}) is full`,
          remedy,
        );
  if (memoryLimit !== undefined && memoryLimit > 0 && (memoryUsed ?? 0) > NEARLY_FULL * memoryLimit)
    return warn(
      check,
      `noeviction, and ${bytes(memoryUsed)} of ${bytes(memoryLimit)} are in use: when the memory is full no lock can be acquired`,
      'Raise maxmemory, or remove keys.',
    );
  return ok(check, 'noeviction');
}

function judgeReplicas({ replicas, role }: ServerFacts): Finding {
  const check = 'replicas';
  if (role !== 'master') return { check, status: 'skip', text: 'only a master reports them' };
  if (replicas.length === 0) return ok(check, 'none');
  const late = replicas.filter((lag) => lag === undefined || lag > LAGGING).length;
  if (late > 0)
    return warn(
      check,
      `${late} of ${replicas.length} lag behind: a failover to one of them forgets held locks`,
      'Check the network between the servers, and the log of the replica.',
    );
  return ok(check, `${replicas.length} up to date (docs/replication.md: which locks a failover can lose)`);
}

/** For messages. */
function bytes(count: number | undefined): string {
  return count === undefined ? 'unknown' : `${(count / 2 ** 20).toFixed(1)} MiB`;
}

function ok(check: string, text: string): Finding {
  return { check, status: 'ok', text };
}

function warn(check: string, text: string, remedy: string): Finding {
  return { check, status: 'warn', text, remedy };
}

function withheld(check: string, what: string, remedy: string): Finding {
  return { ...warn(check, `the server does not report ${what}`, remedy), isWithheld: true };
}

function fail(check: string, text: string, remedy: string): Finding {
  return { check, status: 'fail', text, remedy };
}
