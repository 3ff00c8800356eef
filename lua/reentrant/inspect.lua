-- Reads a lock: what is left of its lease, how often a given holder has it, and who has it. Writes nothing.
--
-- @include failure
-- @batch
-- @key   lock    the lock's hash
-- @arg   holder  the holder id to count; empty when nobody is asked for
-- @reply state   {1, ttl in ms (-1: none, -2: free), the given holder's count, one holder or ''}
-- @reply error   {-1, message with its code in front, type of the key}
-- @repeat safe: it only reads
local function attempt(lock, holder)
  local count = tonumber(redis.call('HGET', lock, holder)) or 0
  return {1, redis.call('PTTL', lock), count, redis.call('HRANDFIELD', lock) or ''}
end

local replies = {}
for i = 1, #KEYS do
  local base = i - 1
  local lock = KEYS[i]
  local holder = ARGV[base + 1]
  local ran, reply = pcall(attempt, lock, holder)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
