-- Frees a lock that is being written, whichever holder writes, and wakes the waiters; one that is only read is left alone.
-- Wire format section 7, force unlock. The writer's read holds and their keys go with it.
--
-- @include failure publishMessage rwMode holdKey dropHolds freeLock
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @key   lock     the lock's hash
-- @derived <lock>:<holder>:rwlock_timeout:<n>  one string per read hold, with its lease; the lock in braces, unless it has one
-- @arg   channel  the lock's channel
-- @reply released {1, clients that PUBLISH reached (-1: publishing was refused)}
-- @reply free     {0} no holder writes
-- @reply error    {-1, message with its code in front, type of the key} also for a key that is no read/write lock, which is left alone
-- @repeat unsafe: a second run may free the lock of the next writer
local function attempt(publish, lock, channel)
  if rwMode(lock) ~= 'write' then
    return {0}
  end
  freeLock(lock)
  return {1, publishMessage(publish, channel, '1')}
end

local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS do
  local base = i
  local lock = KEYS[i]
  local channel = ARGV[base + 1]
  local ran, reply = pcall(attempt, publish, lock, channel)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
