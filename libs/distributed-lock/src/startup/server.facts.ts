/** The facts that INFO gives about a server. Undefined: not given, as by managed servers. */
export interface ServerFacts {
  /** `Redis` or `Valkey`. */
  readonly product: string;
  readonly version: string | undefined;
  /** The version of Redis whose commands the server has; Valkey reports one as well. */
  readonly level: string | undefined;
  readonly isSentinel: boolean;
  /** Whether it is a node of a cluster. */
  readonly isNode: boolean;
  readonly role: string | undefined;
  readonly policy: string | undefined;
  /** In bytes; 0: none. */
  readonly memoryLimit: number | undefined;
  readonly memoryUsed: number | undefined;
  readonly isAppending: boolean | undefined;
  /** The data that could not be written to disk, for messages. */
  readonly unwritten: string | undefined;
  /** Seconds since the last contact with each replica; undefined for one that is not in step. */
  readonly replicas: readonly (number | undefined)[];
}

/** Reads the reply of INFO, in which any field may be missing. */
export function readFacts(info: string): ServerFacts {
  const fields = new Map(
    info.split('\n').flatMap((line) => {
      const colon = line.indexOf(':');
      return colon === -1 ? [] : [[line.slice(0, colon), line.slice(colon + 1).trim()] as const];
    }),
  );
  const number = (field: string) => {
    const value = fields.get(field);
    return value === undefined || value === '' || Number.isNaN(Number(value)) ? undefined : Number(value);
  };
  const valkey = fields.get('valkey_version');
  const level = fields.get('redis_version');
  const appending = number('aof_enabled');
  return {
    product: valkey === undefined ? 'Redis' : 'Valkey',
    version: valkey ?? level,
    level,
    isSentinel: fields.get('redis_mode') === 'sentinel',
    isNode: fields.get('cluster_enabled') === '1',
    role: fields.get('role'),
    policy: fields.get('maxmemory_policy'),
    memoryLimit: number('maxmemory'),
    memoryUsed: number('used_memory'),
    isAppending: appending === undefined ? undefined : appending === 1,
    unwritten: unwrittenOf(fields),
    replicas: [...fields].flatMap(([field, value]) => (/^slave\d+$/.test(field) ? [lagOf(value)] : [])),
  };
}

function unwrittenOf(fields: ReadonlyMap<string, string>): string | undefined {
  if (fields.get('aof_last_write_status') === 'err') return 'the append-only file';
  return fields.get('rdb_last_bgsave_status') === 'err' ? 'the last snapshot' : undefined;
}

function lagOf(replica: string): number | undefined {
  if (!/(?:^|,)state=online(?:,|$)/.test(replica)) return undefined;
  return Number(/(?:^|,)lag=(\d+)/.exec(replica)?.[1] ?? 0);
}
