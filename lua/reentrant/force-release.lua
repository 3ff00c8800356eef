-- Frees a lock whichever holder has it, and wakes one waiter of each client. Wire format section 2, force unlock.
--
-- @include failure publishMessage
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @key   lock     the lock's hash
-- @arg   channel  the lock's channel
-- @reply released {1, clients that PUBLISH reached (-1: publishing was refused)}
-- @reply free     {0} there was nothing to free
-- @reply error    {-1, message with its code in front, type of the key} also for a key that is no lock, which is left alone
-- @repeat unsafe: a second run may free the lock of the next holder
local function attempt(publish, lock, channel)
  local kind = redis.call('TYPE', lock).ok
  if kind == 'none' then
    return {0}
  end
  if kind ~= 'hash' then
    error({err = 'WRONGTYPE not a lock'})
  end
  redis.call('DEL', lock)
  return {1, publishMessage(publish, channel, '0')}
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
