import { readScript } from './script.reader.mjs';

/** A script of one operation. */
export const HEADER = `-- Takes a lock.
--
-- @key   lock    the lock's hash
-- @arg   holder  the holder id
-- @arg   lease   the lease in ms
-- @reply granted {1}
-- @repeat safe: it names the state to reach
`;
export const BODY = `local lock = KEYS[1]
local holder = ARGV[1]
local lease = tonumber(ARGV[2])
redis.call('HSET', lock, holder, 1)
redis.call('PEXPIRE', lock, lease)
return {1}
`;
/** A script of many operations, two keys each. */
export const BATCH_HEADER = `-- Releases locks.
-- @batch
-- @shared publish PUBLISH or SPUBLISH
-- @key   lock    the lock's hash
-- @key   queue   its queue
-- @arg   holder  the holder id
-- @arg   channel the lock's channel
-- @reply released {1}
-- @repeat unsafe: it publishes again
`;
export const BATCH_BODY = `local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 2 do
  local base = (i - 1) * 2 + 1
  local lock = KEYS[i * 2 - 1]
  local queue = KEYS[i * 2]
  local holder = ARGV[base + 1]
  local channel = ARGV[base + 2]
  redis.call('HDEL', lock, holder)
  redis.call('DEL', queue)
  redis.call(publish, channel, '0')
  replies[i] = {1}
end
return replies
`;

/** What the build says about a script, as `line message`. */
export function problemsOf(source: string): string[] {
  return readScript('reentrant/acquire', source).problems.map(({ line, message }) => `${line} ${message}`);
}
