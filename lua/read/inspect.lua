-- Reads the read side of a read/write lock: what is left of its lease, how often a given holder reads, and who reads. Writes nothing.
--
-- @include failure rwMode readCount rwHolder
-- @batch
-- @key   lock    the lock's hash
-- @arg   holder  the holder id to count; empty when nobody is asked for
-- @reply state   {1, ttl in ms (-1: none, -2: free), the given holder's read holds, one reader or '', 1 while anybody reads or 0}
-- @reply error   {-1, message with its code in front, type of the key} also for a hash that is another kind of lock
-- @repeat safe: it only reads
local function attempt(lock, holder)
  local mode, writer = rwMode(lock)
  -- Beside a writer: its mode, its write holds, and perhaps its read holds.
  local locked = mode == 'read' or (mode == 'write' and redis.call('HLEN', lock) > 2)
  local count = readCount(lock, holder, mode, writer)
  return {1, redis.call('PTTL', lock), count, locked and rwHolder(lock, writer) or '', locked and 1 or 0}
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
