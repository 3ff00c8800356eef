/** What the library knows about a hold, in ms of `performance.now()`: tests may look inside. */
export interface LeaseFacts {
  readonly deadline: number;
  readonly ttl: number;
  /** The whole ms in which the acquisition that was granted was sent; undefined when the lease has been renewed since. */
  readonly sent: number | undefined;
}

/** Reads the leases that a handle stands on. @throws when the library is not built as this expects */
export function leaseFacts(handle: object): LeaseFacts {
  const members: unknown = Reflect.get(handle, 'members');
  if (Array.isArray(members)) return groupFacts(members, numberAt(handle, 'needed'));
  const lease = objectAt(handle, 'lease');
  const ttl = numberAt(lease, 'longestTtl');
  const inRedis = numberAt(lease, 'deadline');
  const isFresh = Reflect.get(lease, 'state') === 'held';
  return {
    deadline: Math.min(inRedis, fixedDeadline(handle)),
    ttl,
    sent: isFresh ? inRedis + Math.ceil(Math.max(20, ttl / 20)) - ttl : undefined,
  };
}

/** The deadline of a lease that is not renewed; Infinity without one. @throws when a handle has no member for it */
function fixedDeadline(handle: object): number {
  if (!('fixed' in handle)) throw new TypeError('there is no "fixed" in a handle');
  return handle.fixed === undefined ? Infinity : numberAt(Object(handle.fixed), 'deadline');
}

/** A group is held as long as enough of its members are. */
function groupFacts(members: readonly unknown[], needed: number): LeaseFacts {
  const facts = members.map((member) => leaseFacts(Object(member)));
  const deadlines = facts.map(({ deadline }) => deadline).toSorted((one, other) => other - one);
  return {
    deadline: deadlines[needed - 1] ?? -Infinity,
    ttl: Math.max(...facts.map(({ ttl }) => ttl)),
    sent: undefined,
  };
}

function objectAt(of: object, name: string): object {
  const value: unknown = Reflect.get(of, name);
  if (typeof value !== 'object' || value === null) throw new TypeError(`there is no "${name}" in a handle`);
  return value;
}

function numberAt(of: object, name: string): number {
  const value: unknown = Reflect.get(of, name);
  if (typeof value !== 'number') throw new TypeError(`there is no "${name}" in a lease`);
  return value;
}
