const UNSETTLED = 'The nodes of the cluster disagree about this slot: try again, and check CLUSTER INFO.';

/** The remedy for an error reply of Redis, by the first word of the reply. */
const REFUSALS: Readonly<Record<string, string>> = {
  NOPERM:
    'The user of the connection lacks a permission: docs/security.md lists what the library needs, and `doctor` lists what is missing.',
  NOAUTH: 'The connection is not logged in: give the user and the password in the option redis.',
  WRONGPASS: 'Correct the user or the password in the option redis.',
  OOM: 'Redis has no memory left for a write: raise maxmemory, or remove keys; locks need very little.',
  READONLY:
    'The connection leads to a replica: set the option redis to the master, the sentinels, or the cluster.',
  MISCONF: 'Redis cannot save to its disk, and refuses writes: check the log and the disk of Redis.',
  NOREPLICAS:
    'Redis refuses writes while too few replicas are connected (min-replicas-to-write): check the replicas.',
  ASK: UNSETTLED,
  CROSSSLOT: 'Use one hash tag for names that belong together, such as "{order:7}:a" and "{order:7}:b".',
  CLUSTERDOWN: 'The cluster does not serve this slot: check the nodes with CLUSTER INFO.',
  MOVED: UNSETTLED,
  MASTERDOWN: 'The replica has lost its master: check the replication.',
  LOADING: 'Redis is still loading its data: wait until it has started.',
  BUSY: 'A script blocks Redis: find it, or end it with SCRIPT KILL.',
  TRYAGAIN: 'The cluster moves this slot at the moment: try again.',
};

/** The remedy for a client that has the address of one node, where others have slots. */
export const GIVE_THE_CLUSTER =
  'Give a Cluster of ioredis, or createCluster() of node-redis, instead of the address of one node.';

/** The refusals of a user, as the text of a failed connection shows them. */
const OF_USER = /\b(?:NOAUTH|WRONGPASS|NOPERM)\b/;

/** The remedy for a server that refuses the redis options. @param why its reply, or what contains it */
export function remedyForOptions(why: string): string {
  return refusalRemedy(OF_USER.exec(why)?.[0]) ?? 'Correct the redis options.';
}

/** @param code undefined where the reply had no such word @returns undefined where nothing special helps */
export function refusalRemedy(code: string | undefined): string | undefined {
  return code !== undefined && Object.hasOwn(REFUSALS, code) ? REFUSALS[code] : undefined;
}
