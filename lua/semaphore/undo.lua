-- Gives back what a call took whose reply never came, with its place in the queue of processes, and leaves a record by which a late run of that
-- call is refused.
--
-- @include isWhole failure amount publishMessage publishPermits clientOf readQueue firstPlace dropPlace callPlace mendListeners turnOfOthers hasQueue wantedOf firstFitting callFitting givePermits takeBack announcePermits
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @key   lock     the semaphore: available permits
-- @key   call     the call's record: the permits that it took and those that it left, or 'undone'
-- @key   waiting  the queue of processes, a sorted set: tickets by place, above 0; listeners below; the semaphore again where there is no queue
-- @key   given    the places that were given permits, and whose processes have not come; the semaphore again where there is no queue
-- @arg   place    the place that the call may have
-- @arg   keep     how long a late run of the call is to be refused, in ms
-- @arg   channel  the semaphore's channel; that of a process is this, a colon, its client uuid
-- @reply returned {1, permits available, clients that PUBLISH reached (-1: publishing was refused)}
-- @reply passed   {1, permits available, clients that listen beside the listeners of the queue (-1: publishing was refused), the place that was
--                 notified, and was given its permits if there are others; empty for none}
-- @reply gone     {0} there is nothing to give back: the call took nothing, or its semaphore is gone
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: the record says that it is done

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(queue, call, place, keep)
  local lock = queue.lock
  if not isWhole(keep, 1, 600000) then
    error({err = 'ERR the life of the record is out of range'})
  end
  local taken = tonumber(string.match(redis.call('GET', call) or '', '^(%-?%d+) '))
  local available = amount(lock)
  -- In this order also a server that is out of memory lets it happen: it refuses the others as a first write only.
  redis.call('DEL', call)
  redis.call('SET', call, 'undone', 'PX', keep)
  local isQueued = hasQueue(queue)
  local hasLeft = isQueued and redis.call('ZREM', queue.waiting, place) == 1
  local now = queue.waiting ~= lock and takeBack(queue, place, available) or available
  if available and taken then
    return announcePermits(queue, redis.call('INCRBY', lock, taken))
  elseif available and now > available then
    return announcePermits(queue, now)
  elseif hasLeft then
    -- It may have been notified, and does not come.
    callFitting(queue, now or 0)
  end
  return {0}
end

local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 4 do
  local base = (i - 1) * 3 + 1
  local lock = KEYS[(i - 1) * 4 + 1]
  local call = KEYS[(i - 1) * 4 + 2]
  local waiting = KEYS[(i - 1) * 4 + 3]
  local given = KEYS[(i - 1) * 4 + 4]
  local place = ARGV[base + 1]
  local keep = tonumber(ARGV[base + 2])
  local channel = ARGV[base + 3]
  local queue = {lock = lock, waiting = waiting, given = given, publish = publish, channel = channel}
  local ran, reply = pcall(attempt, queue, call, place, keep)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
