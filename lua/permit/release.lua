-- Gives a permit back by its id. Wire format section 10, release id.
--
-- @include isWhole failure amount publishMessage publishPermits raw
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @key   lock     the semaphore: available permits
-- @key   timeout  the permits that are taken: a sorted set of permit ids, 16 bytes each, by the epoch ms at which they expire
-- @arg   permit   the permit id, 32 hex characters
-- @arg   channel  the semaphore's channel
-- @reply released {1, clients that PUBLISH reached (-1: publishing was refused; 0 as well when no permit is available even now)}
-- @reply gone     {0} the permit is unknown, or its lease was over; what was left of it was given back
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: a permit that is given back is unknown, and ids are never used twice

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(publish, lock, timeout, permit, channel)
  local id = raw(permit)
  amount(lock)
  local expiry = redis.call('ZSCORE', timeout, id)
  if not expiry then
    return {0}
  end
  local time = redis.call('TIME')
  local at = time[1] * 1000 + math.floor(time[2] / 1000)
  -- In this order also a server that is out of memory lets it happen: it refuses INCRBY as a first write only.
  redis.call('ZREM', timeout, id)
  local reached = publishPermits(publish, channel, redis.call('INCRBY', lock, 1))
  return tonumber(expiry) > at and {1, reached} or {0}
end

local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 2 do
  local base = (i - 1) * 2
  local lock = KEYS[base + 1]
  local timeout = KEYS[base + 2]
  local permit = ARGV[base + 2]
  local channel = ARGV[base + 3]
  local ran, reply = pcall(attempt, publish, lock, timeout, permit, channel)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
