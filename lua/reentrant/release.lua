-- Lowers a holder's count, or frees the lock and notifies the process whose turn it is; where no process has a place, it notifies one waiter of each client.
-- Wire format section 2, unlock. Holder ids are never used twice, so no unlock latch is needed.
-- Where a count stays, a lease that becomes shorter is published. Nothing is published on the lock's channel that only the two listeners of
-- the queue would receive.
--
-- @include isWhole failure publishMessage publishShorterLease setLease readQueue clientOf firstPlace dropPlace callPlace callFirst callNext mendListeners turnOfOthers passOn oneForAll
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @shared count   the hold count to leave behind; 0 frees the lock
-- @shared lease   where a count stays the lease in ms of the holder, 1 to 10 years. Else the short lease in ms of a place that is notified while
--                 others listen to the lock's channel: it has the lock at once; 0: its process takes the lock itself
-- @key   lock     the lock's hash
-- @key   waiting  the queue of processes, a sorted set: tickets by holder id, above 0; listeners below; the lock again where there is no queue
-- @arg   holder   the holder id, whose place ends too where no count stays
-- @arg   channel  the lock's channel; that of a process is this, a colon, its client uuid
-- @reply released 1 when it reached no client, or {1, clients that PUBLISH reached (-1: publishing was refused)}; 1 alone, in no array, answers all of a call
-- @reply passed   {1, clients that listen beside the listeners (-1: publishing was refused), the place that was notified, and may have the lock
--                 with a short lease; empty for none}
-- @reply kept     {2, hold count}
-- @reply gone     {0} the holder has nothing; nothing was changed but its place
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: it only lowers a count; a repeated one finds that the holder has nothing, whoever got the lock by the first one

-- The end of a hold with the count 1 that comes alone, as nearly every release does. Whatever else there is takes the whole way
-- below, an error with it, which has changed nothing.
if #KEYS == 2 then
  local publish = ARGV[1]
  local count = ARGV[2]
  local lock = KEYS[1]
  local waiting = KEYS[2]
  local holder = ARGV[4]
  local channel = ARGV[5]
  if count == '0' and (waiting == lock or redis.pcall('EXISTS', waiting) == 0) and redis.pcall('HGET', lock, holder) == '1'
      and redis.pcall('DEL', lock) == 1 then
    local reached = redis.pcall(publish, channel, '0')
    if reached == 0 then
      return 1
    end
    return {{1, type(reached) == 'number' and reached or -1}}
  end
end
-- @parts

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(queue, holder, count, lease)
  local lock = queue.lock
  if not isWhole(count, 0, 2147483647) or not isWhole(lease, count == 0 and 0 or 1, 315360000000) then
    error({err = 'ERR the hold count or the lease is out of range'})
  end
  local held = tonumber(redis.call('HGET', lock, holder))
  -- A key of another type, which a stranger has put there, is no queue.
  local isRead, listeners, place, _, second
  if queue.waiting ~= lock then
    isRead, listeners, place, _, second = pcall(readQueue, queue.waiting)
  end
  local isQueued = isRead and (place or listeners[1])
  local mayHavePlace = isQueued and count == 0 and (held == nil or place == holder or second == holder)
  local hasLeft = mayHavePlace and redis.call('ZREM', queue.waiting, holder) == 1
  if hasLeft and redis.call('EXISTS', lock) == 0 then
    -- It may have been notified, and does not come.
    callFirst(queue)
  end
  if held == nil then
    return {0}
  end
  if count > 0 then
    if held > count then
      -- In this order also a server that is out of memory lets it happen: it refuses HSET as a first write only.
      local isShorter = setLease(lock, lease, 0)
      redis.call('HSET', lock, holder, count)
      held = count
      if isShorter then
        publishShorterLease(queue.publish, queue.channel)
      end
    end
    return {2, held}
  end
  redis.call('DEL', lock)
  if isQueued then
    if hasLeft then
      listeners, place = readQueue(queue.waiting)
    end
    return passOn(queue, listeners, place, lease, '0')
  end
  local reached = publishMessage(queue.publish, queue.channel, '0')
  return reached == 0 and 1 or {1, reached}
end

local replies = {}
local publish = ARGV[1]
local count = tonumber(ARGV[2])
local lease = tonumber(ARGV[3])
for i = 1, #KEYS / 2 do
  local lock = KEYS[(i - 1) * 2 + 1]
  local waiting = KEYS[(i - 1) * 2 + 2]
  local base = (i - 1) * 2 + 3
  local holder = ARGV[base + 1]
  local channel = ARGV[base + 2]
  -- Most holds of a call end with the count 1, and no process waits for their locks.
  if count == 0 and (waiting == lock or redis.pcall('EXISTS', waiting) == 0) and redis.pcall('HGET', lock, holder) == '1'
      and redis.pcall('DEL', lock) == 1 then
    local reached = publishMessage(publish, channel, '0')
    replies[i] = reached == 0 and 1 or {1, reached}
  else
    local queue = {lock = lock, waiting = waiting, publish = publish, channel = channel}
    local ran, reply = pcall(attempt, queue, holder, count, lease)
    replies[i] = ran and reply or failure(reply, lock)
  end
end
return oneForAll(replies)
