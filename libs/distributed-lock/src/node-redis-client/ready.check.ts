import type { WarningListener } from '../client-port/connection.warning.js';
import { replicaRefusal } from '../client-port/server.role.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { MismatchError } from './node-redis.trouble.js';
import type { OneConnection } from './one.connection.js';

/** What is demanded of a connection, beside its client's own options. */
export interface Demands {
  /** Whether the server must be a master: not in a cluster, whose map names the node, and not for an operator. */
  readonly master: boolean;
  /** Called for a connection that cannot be checked. */
  readonly warn: WarningListener;
}

/**
 * Checks that a connection can be used: the server has loaded its data, and is a master.
 * @throws MismatchError for a connection that must not be used, RedisFailure for one that cannot be used yet
 */
export async function checkReady(connection: OneConnection, { master, warn }: Demands): Promise<void> {
  const info = await connection.send(['INFO']).then(String, (error: unknown) => {
    const { kind, code, message } = RedisFailure.from(error);
    if (kind !== 'refused' || code !== 'NOPERM') throw error;
    warn('server-unchecked', message);
    return '';
  });
  if (/^loading:1/m.test(info))
    throw new RedisFailure('refused', 'LOADING Redis is loading the dataset in memory', { code: 'LOADING' });
  const refusal = master ? replicaRefusal(info) : undefined;
  if (refusal !== undefined) throw new MismatchError(refusal);
}
