-- Makes a semaphore with a number of permits, unless there is one, and notifies the process whose turn it is. Wire format section 10, try set
-- permits.
--
-- @include isWhole failure amount publishMessage publishPermits clientOf readQueue firstPlace dropPlace callPlace mendListeners turnOfOthers hasQueue wantedOf firstFitting callFitting givePermits announcePermits
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @key   lock     the semaphore: available permits
-- @key   call     the call's record: '1'
-- @key   waiting  the queue of processes, a sorted set: tickets by place, above 0; listeners below; the semaphore again where there is no queue,
--                 and for permits that expire
-- @key   given    the places that were given permits of a semaphore that is gone; the semaphore again as before
-- @arg   wanted   the permits to have, 0 to 2147483647
-- @arg   ttl      the life of the semaphore in ms, up to 10 years; 0: no end
-- @arg   keep     how long the call's record is to live, in ms
-- @arg   channel  the semaphore's channel; that of a process is this, a colon, its client uuid
-- @reply made     {1, permits available, clients that PUBLISH reached (-1: publishing was refused)}
-- @reply passed   {1, permits available, clients that listen beside the listeners of the queue (-1: publishing was refused), the place that was
--                 notified, and was given its permits if there are others; empty for none}
-- @reply there    {0} there is one; nothing was changed
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: the call's record answers the second run

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(queue, call, wanted, ttl, keep)
  local lock = queue.lock
  if not isWhole(wanted, 0, 2147483647) or not isWhole(ttl, 0, 315360000000) or not isWhole(keep, 1, 600000) then
    error({err = 'ERR the number of permits or a time to live is out of range'})
  end
  if redis.call('GET', call) then
    return {1, wanted, 0}
  end
  if amount(lock) ~= nil then
    return {0}
  end
  redis.call('SET', lock, string.format('%.0f', wanted))
  if ttl > 0 then
    redis.call('PEXPIRE', lock, ttl)
  end
  redis.call('SET', call, '1', 'PX', keep)
  if queue.given ~= lock then
    redis.call('DEL', queue.given)
  end
  return announcePermits(queue, wanted)
end

local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 4 do
  local base = (i - 1) * 4 + 1
  local lock = KEYS[(i - 1) * 4 + 1]
  local call = KEYS[(i - 1) * 4 + 2]
  local waiting = KEYS[(i - 1) * 4 + 3]
  local given = KEYS[(i - 1) * 4 + 4]
  local wanted = tonumber(ARGV[base + 1])
  local ttl = tonumber(ARGV[base + 2])
  local keep = tonumber(ARGV[base + 3])
  local channel = ARGV[base + 4]
  local queue = {lock = lock, waiting = waiting, given = given, publish = publish, channel = channel}
  local ran, reply = pcall(attempt, queue, call, wanted, ttl, keep)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
