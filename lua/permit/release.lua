-- Gives a permit back by its id, and notifies the process whose turn it is; where no process has a place, it publishes how many permits are
-- available. Wire format section 10, release id. Nothing is published on the semaphore's channel that only the two listeners of the queue
-- would receive.
--
-- @include isWhole failure amount publishMessage publishPermits raw givePermit permitOf clientOf readQueue firstPlace dropPlace callPlace callFirst callNextPermit mendListeners turnOfOthers hasQueue
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @shared lease   the short lease in ms of a permit that a place gets at once while others listen to the channel; 0: its process takes one itself
-- @key   lock     the semaphore: available permits
-- @key   timeout  the permits that are taken: a sorted set of permit ids, 16 bytes each, by the epoch ms at which they expire
-- @key   waiting  the queue of processes, a sorted set: tickets by place, above 0; listeners below; the semaphore again where there is no queue
-- @arg   permit   the permit id, 32 hex characters
-- @arg   client   the client uuid of the process: a place that it has under this id ends too
-- @arg   channel  the semaphore's channel; that of a process is this, a colon, its client uuid
-- @reply released {1, clients that PUBLISH reached (-1: publishing was refused; 0 as well when no permit is available even now)}
-- @reply passed   {1, clients that listen beside the listeners (-1: publishing was refused), the place that was notified, and may have a permit
--                 with a short lease; empty for none}
-- @reply gone     {0} the permit is unknown, or its lease was over; what was left of it was given back
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: a permit that is given back is unknown, and ids are never used twice

-- Notifies those that wait for a permit that is available now.
local function pass(queue, available, lease, at)
  local listeners, place = readQueue(queue.waiting)
  local others, first, listener = mendListeners(queue, listeners, place)
  if available < 1 then
    return {1, 0, ''}
  end
  local isTheirs = first and listener and others > 0 and turnOfOthers(queue.waiting, listener)
  -- Without a listener no release is the turn of the others, so the permit stays available for them: a lease of 0.
  local called = first and not isTheirs and callNextPermit(queue, first, others, listener and lease or 0, at)
  if (others > 0 or (first and not called)) and publishPermits(queue.publish, queue.channel, available) == -1 then
    others = -1
  end
  return {1, others, called or ''}
end

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(queue, permit, client, lease)
  local id = raw(permit)
  if not isWhole(lease, 0, 60000) then
    error({err = 'ERR the lease is out of range'})
  end
  local available = amount(queue.lock)
  local expiry = tonumber(redis.call('ZSCORE', queue.timeout, id))
  local isQueued = hasQueue(queue)
  local hasLeft = isQueued and redis.call('ZREM', queue.waiting, client .. ':' .. permit) == 1
  if expiry == nil then
    if hasLeft and (available or 0) > 0 then
      -- It may have been notified, and does not come.
      callFirst(queue)
    end
    return {0}
  end
  local time = redis.call('TIME')
  local at = time[1] * 1000 + math.floor(time[2] / 1000)
  -- In this order also a server that is out of memory lets it happen: it refuses INCRBY as a first write only.
  redis.call('ZREM', queue.timeout, id)
  available = redis.call('INCRBY', queue.lock, 1)
  if expiry <= at then
    -- Its process learns that it is gone, and looks after no other one: the listeners do.
    publishPermits(queue.publish, queue.channel, available)
    return {0}
  end
  if isQueued then
    return pass(queue, available, lease, at)
  end
  return {1, publishPermits(queue.publish, queue.channel, available)}
end

local replies = {}
local publish = ARGV[1]
local lease = tonumber(ARGV[2])
for i = 1, #KEYS / 3 do
  local lock = KEYS[(i - 1) * 3 + 1]
  local timeout = KEYS[(i - 1) * 3 + 2]
  local waiting = KEYS[(i - 1) * 3 + 3]
  local base = (i - 1) * 3 + 2
  local permit = ARGV[base + 1]
  local client = ARGV[base + 2]
  local channel = ARGV[base + 3]
  local queue = {lock = lock, timeout = timeout, waiting = waiting, publish = publish, channel = channel}
  local ran, reply = pcall(attempt, queue, permit, client, lease)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
