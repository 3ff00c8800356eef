-- Takes permits of a semaphore, all of them or none. Wire format section 10.
-- The semaphore knows no holders, so a record of the call makes it safe to repeat; it is deleted once the reply has come.
--
-- @include isWhole failure amount clientOf hasQueue wantedOf firstFitting takeBack
-- @batch
-- @key   lock     the semaphore: available permits
-- @key   call     the call's record: the permits that it took and those that it left, or 'undone'
-- @key   waiting  the queue of processes, a sorted set: tickets by place, above 0; listeners below; the semaphore again where there is no queue
-- @key   given    the places that were given permits, and whose processes have not come; the semaphore again where there is no queue
-- @arg   place    the place that the call may have in the queue: it ends with the grant
-- @arg   wanted   the permits to take, 1 to 2147483647
-- @arg   keep     how long the call's record is to live, in ms
-- @arg   waits    1 for a caller that is ready to wait, which takes no permits before the processes that have a place; else 0
-- @reply granted  {1, permits left}
-- @reply busy     {0, permits available}
-- @reply undone   {2} the call was undone before it came
-- @reply queued   {3, permits available} there are enough, and another process comes first
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: the call's record answers the second run

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(queue, call, place, wanted, keep, waits)
  local lock = queue.lock
  if not isWhole(wanted, 1, 2147483647) or not isWhole(keep, 1, 600000) then
    error({err = 'ERR the number of permits or the life of the record is out of range'})
  end
  local done = redis.call('GET', call)
  if done then
    local left = tonumber(string.match(done, ' (%d+)$'))
    return left and {1, left} or {2}
  end
  local available = amount(lock)
  local isQueued = hasQueue(queue)
  if not waits and queue.waiting ~= lock and (available or 0) >= 0 then
    -- A process that could not be notified takes the permits past its place.
    available = takeBack(queue, place, available)
  end
  if available == nil or available < wanted then
    return {0, available or 0}
  end
  if waits and isQueued and firstFitting(queue, available) then
    return {3, available}
  end
  local left = redis.call('DECRBY', lock, wanted)
  redis.call('SET', call, string.format('%.0f %.0f', wanted, left), 'PX', keep)
  if isQueued then
    redis.call('ZREM', queue.waiting, place)
  end
  return {1, left}
end

local replies = {}
for i = 1, #KEYS / 4 do
  local lock = KEYS[(i - 1) * 4 + 1]
  local call = KEYS[(i - 1) * 4 + 2]
  local waiting = KEYS[(i - 1) * 4 + 3]
  local given = KEYS[(i - 1) * 4 + 4]
  local base = (i - 1) * 4
  local place = ARGV[base + 1]
  local wanted = tonumber(ARGV[base + 2])
  local keep = tonumber(ARGV[base + 3])
  local waits = ARGV[base + 4] == '1'
  local ran, reply = pcall(attempt, {lock = lock, waiting = waiting, given = given}, call, place, wanted, keep, waits)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
