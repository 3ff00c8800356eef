import { jobKeys } from '../job-control/job.keys.js';
import {
  latchChannel,
  lockChannel,
  prefixName,
  readWriteChannel,
  semaphoreChannel,
} from '../scripts/wire.names.js';

/** A permission that the library needs for its user, and a command that only tests the permission. */
export interface Probe {
  /** The rule that allows it, as `ACL SETUSER` takes it. */
  readonly rule: string;
  readonly words: readonly string[];
  /** How the permission can be tested without ACL DRYRUN: in a script, or only on a connection. */
  readonly where: 'script' | 'connection';
  /** Locks work without it, if less well. */
  readonly isMinor?: boolean;
  /** The command would leave something behind, if it were really run. */
  readonly creates?: boolean;
}

/** The commands of scripts, in forms that do nothing to a key `k` that does not exist. */
const INERT = `DECRBY k x|DEL k|EXISTS k|GET k|HDEL k f|HEXISTS k f|HGET k f|HGETALL k|HINCRBY k f x|HKEYS k|HLEN k|HMGET k f|HRANDFIELD k|
INCRBY k x|LINDEX k 0|LLEN k|LPOS k x|LRANGE k 0 0|LREM k 0 x|LTRIM k 0 0|PEXPIRE k 1|PEXPIREAT k 1|PTTL k|SET k v XX|TIME|TYPE k|
ZADD k XX 1 m|ZCARD k|ZRANGE k 0 0|ZRANGEBYSCORE k 0 0|ZREM k m|ZREMRANGEBYSCORE k 0 0|ZSCORE k m`;

/** The commands that have no such form. */
const CREATING = 'DECR k|HSET k f v|HSETNX k f v|INCR k|LPUSH k v|RPUSH k v';

/** The other commands that the library needs: of every server, and of one in a cluster. The channel is `c`. */
const CONNECTION =
  'EVAL return 0|EVALSHA 0000000000000000000000000000000000000000 0|SUBSCRIBE c|UNSUBSCRIBE c|PING|INFO server';
const CLUSTERED = 'SSUBSCRIBE c|SUNSUBSCRIBE c|CLUSTER SLOTS|CLUSTER INFO';

/** Commands with a subcommand, each of which has a permission of its own. */
const FAMILIES = new Set(['PUBSUB', 'CLIENT', 'CLUSTER']);

/** Servers before Redis 7 have no sharded channels, and no permissions for them. */
const SHARDED = 'SSUBSCRIBE c|SUNSUBSCRIBE c';

/**
 * All permissions in docs/security.md, except those that only some options need.
 * @param key of a lock that no client holds
 * @param prefix the beginning of that key
 */
export function aclProbes(
  key: string,
  prefix: string,
  { isCluster, isSharded }: { readonly isCluster: boolean; readonly isSharded: boolean },
): Probe[] {
  const fill = (text: string) =>
    text.split(' ').map((word) => (word === 'k' ? key : word === 'c' ? lockChannel(key) : word));
  const commands = (text: string, rest: Pick<Probe, 'where'> & Partial<Probe>): Probe[] =>
    text.split('|').map((line) => {
      const words = fill(line.trim());
      return { ...rest, rule: ruleOf(words), words };
    });
  const { record, channel } = jobKeys(key);
  const beside = ['redisson_lock_queue', 'redisson_lock_timeout', 'redisson_lock_token'];
  const keys = [key, record, ...beside.map((name) => prefixName(name, key))];
  const channels = [
    lockChannel(key),
    readWriteChannel(key),
    semaphoreChannel(key),
    latchChannel(key),
    channel,
  ];
  const publish = isSharded ? 'SPUBLISH' : 'PUBLISH';
  return [
    ...commands(INERT, { where: 'script' }),
    ...commands(CREATING, { where: 'script', creates: true }),
    ...commands(`${publish} c 0`, { where: 'script' }),
    ...commands('PUBSUB NUMSUB c', { where: 'script', isMinor: true }),
    ...commands(CONNECTION, { where: 'connection' }),
    ...commands('CLIENT SETNAME distributed-lock:doctor', { where: 'connection', isMinor: true }),
    ...(isCluster
      ? commands(CLUSTERED.replace(isSharded ? '' : `${SHARDED}|`, ''), { where: 'connection' })
      : []),
    ...(isSharded ? commands('PUBSUB SHARDNUMSUB c', { where: 'script' }) : []),
    ...keys.map((name): Probe => ({
      rule: `~${patternOf(name, key, prefix)}`,
      words: ['EXISTS', name],
      where: 'script',
    })),
    ...channels.map((name): Probe => ({
      rule: `&${patternOf(name, key, prefix)}`,
      words: [publish, name, '0'],
      where: 'script',
    })),
  ];
}

/** The pattern of all names that begin as this name does, up to the end of the common prefix. */
function patternOf(name: string, key: string, prefix: string): string {
  return `${name.slice(0, name.indexOf(key) + prefix.length)}*`;
}

function ruleOf([command = '', sub = '']: readonly string[]): string {
  return `+${FAMILIES.has(command) ? `${command}|${sub}` : command}`.toLowerCase();
}
