-- Takes the write side of a free read/write lock, or raises the count of a holder that writes already.
-- Wire format section 7, write acquire. A writer that will wait says so, which keeps new readers out (D15), and takes no free lock before the
-- processes that have a place.
--
-- @include isWhole failure rwMode writeCount readCount holdKey longestHold longestRead raiseLease rwHolder hasQueue firstPlace
-- @batch
-- @key   lock     the lock's hash: mode (read or write), <holder> -> read holds, <holder>:write -> write holds
-- @key   intent   the writer that waits: its holder id
-- @key   waiting  the queue of processes that wait to write, a sorted set: tickets by holder id, above 0; listeners below; the lock again where
--                 there is no queue
-- @derived <lock>:<holder>:rwlock_timeout:<n>  one string per read hold, with its lease; the lock in braces, unless it has one
-- @arg   holder   the holder id, <client uuid>:<integer>
-- @arg   lease    the lease in ms, 1 to 10 years
-- @arg   count    the write holds to reach; 1 takes a free lock
-- @arg   sleep    how long in ms a refused caller may sleep before it asks again, up to 10 years; 0: it will not ask again
-- @arg   waits    1 for a caller that is ready to wait for its turn, which takes no free lock before the processes that have a place; else 0
-- @reply granted  {1, write holds}
-- @reply busy     {0, ttl in ms (-1: none), the writer or one reader} also for a reader that asks for the write side
-- @reply lost     {2} the count to reach is above 1 and the holder has nothing
-- @reply queued   {3, the first place} the lock is free, and other processes come first
-- @reply error    {-1, message with its code in front, type of the key} also for a hash that is another kind of lock
-- @repeat safe: the call names the count to reach, so a second run finds it reached and gives the lease afresh

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(queue, intent, holder, lease, count, sleep, waits)
  local lock = queue.lock
  if not isWhole(lease, 1, 315360000000) or not isWhole(count, 1, 2147483647) or not isWhole(sleep, 0, 315360000000) then
    error({err = 'ERR the lease, the hold count or the sleep is out of range'})
  end
  local mode, writer = rwMode(lock)
  local held = writeCount(lock, holder, writer)
  if held > 0 then
    if held < count then
      redis.call('HSET', lock, holder .. ':write', count)
      held = count
    end
    if count == 1 and hasQueue(queue) and redis.call('ZREM', queue.waiting, holder) == 1 then
      -- It was given the lock, and has just the lease that it asks for.
      redis.call('PEXPIRE', lock, lease)
      redis.pcall('DEL', intent)
    else
      raiseLease(lock, lease)
    end
    return {1, held}
  end
  if mode then
    -- A reader that asks waits for itself: no use in keeping others out. A refused intent costs fairness, not the answer.
    -- It ends no earlier than that of another writer, by which readers know when to ask again.
    if sleep > 0 and readCount(lock, holder, mode, writer) == 0 then
      redis.pcall('SET', intent, holder, 'PX', math.max(sleep, redis.call('PTTL', intent)))
    end
    return {0, redis.call('PTTL', lock), rwHolder(lock, writer)}
  end
  if count > 1 then
    return {2}
  end
  local isQueued = hasQueue(queue)
  local first = isQueued and waits and firstPlace(queue.waiting)
  if first then
    return {3, first}
  end
  redis.call('HSET', lock, 'mode', 'write', holder .. ':write', 1)
  redis.call('PEXPIRE', lock, lease)
  redis.pcall('DEL', intent)
  if isQueued then
    -- A process that could not be notified takes the lock past its place.
    redis.call('ZREM', queue.waiting, holder)
  end
  return {1, 1}
end

local replies = {}
for i = 1, #KEYS / 3 do
  local at = (i - 1) * 3
  local base = (i - 1) * 5
  local lock = KEYS[at + 1]
  local intent = KEYS[at + 2]
  local waiting = KEYS[at + 3]
  local holder = ARGV[base + 1]
  local lease = tonumber(ARGV[base + 2])
  local count = tonumber(ARGV[base + 3])
  local sleep = tonumber(ARGV[base + 4])
  local waits = ARGV[base + 5] == '1'
  local ran, reply = pcall(attempt, {lock = lock, waiting = waiting}, intent, holder, lease, count, sleep, waits)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
