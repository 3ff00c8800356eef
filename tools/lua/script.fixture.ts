import type { Part, Problem } from './lua.types.js';
import { readPartFile } from './part.reader.mjs';
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

/** A script of many keys and arguments. */
export const OPEN_HEADER = `-- Deletes fields.
-- @key   hash    the hash
-- @keys  others  more hashes
-- @arg   field   a field
-- @args  more    more fields
-- @reply done {1}
-- @repeat safe: it only deletes
`;
export const OPEN_BODY = `local hash = KEYS[1]
local others = {unpack(KEYS, 2)}
local field = ARGV[1]
local more = {unpack(ARGV, 2)}
redis.call('HDEL', hash, field, unpack(more))
for _, other in ipairs(others) do
  redis.call('HDEL', other, field)
end
return {1}
`;

/** What scripts may include. */
const PART_SOURCE = `-- What the tests include.

-- Whether a number is above 0.
local function positive(number)
  return number > 0
end

-- Refuses a number.
local function check(number)
  if not positive(number) then error('ERR') end
end
`;
const READ = readPartFile('numbers.lua', PART_SOURCE);

/** What the build says about a script, as `line message`. */
export function problemsOf(source: string): string[] {
  return tell(readScript('reentrant/acquire', source, PARTS).problems);
}

/** What the build says about a file of parts, where another file has `positive`. */
export function problemsOfParts(source: string): string[] {
  return tell(readPartFile('numbers.lua', source, ['check', 'positive']).problems);
}

export const PARTS: ReadonlyMap<string, Part> = new Map(READ.parts.map((part) => [part.name, part]));

function tell(problems: readonly Problem[]): string[] {
  return problems.map(({ line, message }) => `${line} ${message}`);
}
