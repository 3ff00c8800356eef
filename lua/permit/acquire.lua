-- Takes one permit under an id of the caller's, until its lease is over. Wire format section 10.
--
-- @include isWhole failure amount publishMessage publishPermits reclaim raw hex nextExpiry givePermit firstPlace hasQueue
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @key   lock     the semaphore: available permits
-- @key   timeout  the permits that are taken: a sorted set of permit ids, 16 bytes each, by the epoch ms at which they expire
-- @key   waiting  the queue of processes, a sorted set: tickets by place, above 0; listeners below; the semaphore again where there is no queue
-- @arg   permit   the permit id, 32 hex characters, new for each permit
-- @arg   client   the client uuid of the process: a place that it has under this id ends with the grant
-- @arg   lease    the lease in ms, 1 to 10 years
-- @arg   waits    1 for a caller that is ready to wait, which takes no permit before the processes that have a place; else 0
-- @arg   channel  the semaphore's channel
-- @reply granted  {1, 1, permits left}
-- @reply busy     {0, ms until the first permit expires (-1: none ever does), its id or ''}
-- @reply queued   {3, the first place} a permit is available, and other processes come first
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: the id that is there proves that it was done; its lease is given afresh

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(queue, permit, client, lease, waits)
  local id = raw(permit)
  if not isWhole(lease, 1, 315360000000) then
    error({err = 'ERR the lease is out of range'})
  end
  local at, available = reclaim(queue.publish, queue.lock, queue.timeout, queue.channel)
  local given = tonumber(redis.call('ZSCORE', queue.timeout, id))
  local isQueued = hasQueue(queue)
  if not given then
    if available == nil or available < 1 then
      return {0, nextExpiry(queue.timeout, at)}
    end
    local first = waits and isQueued and firstPlace(queue.waiting)
    if first then
      return {3, first}
    end
    available = givePermit(queue, id, at + lease)
  elseif given < at + lease then
    redis.call('ZADD', queue.timeout, string.format('%.0f', at + lease), id)
  end
  if isQueued then
    -- A process that could not be notified takes the permit past its place.
    redis.call('ZREM', queue.waiting, client .. ':' .. permit)
  end
  return {1, 1, available or 0}
end

local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 3 do
  local lock = KEYS[(i - 1) * 3 + 1]
  local timeout = KEYS[(i - 1) * 3 + 2]
  local waiting = KEYS[(i - 1) * 3 + 3]
  local base = (i - 1) * 5 + 1
  local permit = ARGV[base + 1]
  local client = ARGV[base + 2]
  local lease = tonumber(ARGV[base + 3])
  local waits = ARGV[base + 4] == '1'
  local channel = ARGV[base + 5]
  local queue = {lock = lock, timeout = timeout, waiting = waiting, publish = publish, channel = channel}
  local ran, reply = pcall(attempt, queue, permit, client, lease, waits)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
