-- Gives back what a call took whose reply never came, and leaves a record by which a late run of that call is refused.
--
-- @include isWhole failure amount publishMessage publishPermits
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @key   lock     the semaphore: available permits
-- @key   call     the call's record: the permits that it took and those that it left, or 'undone'
-- @arg   keep     how long a late run of the call is to be refused, in ms
-- @arg   channel  the semaphore's channel
-- @reply returned {1, clients that PUBLISH reached (-1: publishing was refused)}
-- @reply gone     {0} there is nothing to give back: the call took nothing, or its semaphore is gone
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: the record says that it is done

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(publish, lock, call, keep, channel)
  if not isWhole(keep, 1, 600000) then
    error({err = 'ERR the life of the record is out of range'})
  end
  local taken = tonumber(string.match(redis.call('GET', call) or '', '^(%-?%d+) '))
  local available = amount(lock)
  -- In this order also a server that is out of memory lets it happen: it refuses the others as a first write only.
  redis.call('DEL', call)
  redis.call('SET', call, 'undone', 'PX', keep)
  if taken == nil or available == nil then
    return {0}
  end
  return {1, publishPermits(publish, channel, redis.call('INCRBY', lock, taken))}
end

local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 2 do
  local base = (i - 1) * 2
  local lock = KEYS[base + 1]
  local call = KEYS[base + 2]
  local keep = tonumber(ARGV[base + 2])
  local channel = ARGV[base + 3]
  local ran, reply = pcall(attempt, publish, lock, call, keep, channel)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
