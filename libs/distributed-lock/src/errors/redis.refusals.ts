/** What a reader can do about an error reply of Redis, by the first word of the reply. */
const REFUSALS: Readonly<Record<string, string>> = {
  NOPERM:
    'The user of the connection lacks a permission: docs/security.md lists what the library needs, and `doctor` what is missing.',
  NOAUTH: 'The connection is not logged in: give the user and the password in the option redis.',
  WRONGPASS: 'Correct the user or the password in the option redis.',
  OOM: 'Redis has no memory left for a write: raise maxmemory, or remove keys; locks need very little.',
  READONLY:
    'The connection leads to a replica: let the option redis name the master, the sentinels, or the cluster.',
  MISCONF: 'Redis cannot save to its disk, and refuses writes: look at its log and at its disk.',
  NOREPLICAS:
    'Redis refuses writes while too few replicas are connected (min-replicas-to-write): look at the replicas.',
  CROSSSLOT: 'Give names that belong together one hash tag, such as "{order:7}:a" and "{order:7}:b".',
  CLUSTERDOWN: 'The cluster does not serve this slot: look at its nodes with CLUSTER INFO.',
  MASTERDOWN: 'The replica has lost its master: look at the replication.',
  LOADING: 'Redis is still loading its data: wait until it has started.',
  BUSY: 'A script blocks Redis: find it, or end it with SCRIPT KILL.',
  TRYAGAIN: 'The cluster moves this slot at the moment: try again.',
};

/** @param code undefined where the reply had no such word @returns undefined where nothing special helps */
export function refusalRemedy(code: string | undefined): string | undefined {
  return code !== undefined && Object.hasOwn(REFUSALS, code) ? REFUSALS[code] : undefined;
}
