-- Gives permits back to a semaphore, or changes how many there are, and notifies the process whose turn it is. Keeps the time to live of the
-- key (D27). Wire format section 10.
--
-- @include isWhole failure amount publishMessage publishPermits clientOf readQueue firstPlace dropPlace callPlace mendListeners turnOfOthers hasQueue wantedOf firstFitting callFitting givePermits firstGiven announcePermits
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @key   lock     the semaphore: available permits
-- @key   call     the call's record: the permits that were available after it
-- @key   waiting  the queue of processes, a sorted set: tickets by place, above 0; listeners below; the semaphore again where there is no queue,
--                 and for permits that expire
-- @key   given    the places that were given permits, and whose processes have not come; the semaphore again as before
-- @arg   change   the permits to add, -2147483647 to 2147483647
-- @arg   payload  what is published on the channel: 'value', the permits that are available now, or 'change'
-- @arg   where    'anywhere', or 'existing': without a key nothing is done
-- @arg   keep     how long the call's record is to live, in ms
-- @arg   channel  the semaphore's channel; that of a process is this, a colon, its client uuid
-- @reply added    {1, permits available, clients that PUBLISH reached (-1: publishing was refused; 0 as well when nothing was published)}
-- @reply passed   {1, permits available, clients that listen beside the listeners of the queue (-1: publishing was refused), the place that was
--                 notified, and was given its permits if there are others; empty for none}
-- @reply none     {0} there is no semaphore
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: the call's record answers the second run, which notifies the process whose turn it is once more

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(queue, call, change, payload, where, keep)
  local lock = queue.lock
  if not isWhole(change, -2147483647, 2147483647) or not isWhole(keep, 1, 600000)
    or payload ~= 'value' and payload ~= 'change' or where ~= 'anywhere' and where ~= 'existing' then
    error({err = 'ERR the change, its payload, its place or the life of the record is out of range'})
  end
  local done = redis.call('GET', call)
  if done then
    -- The answer that named the process was lost: it is notified once more.
    return {1, tonumber(done), 0, hasQueue(queue) and (callFitting(queue, amount(lock) or 0) or firstGiven(queue)) or nil}
  end
  local before = amount(lock)
  if before == nil and where == 'existing' then
    return {0}
  end
  if not isWhole((before or 0) + change, -9007199254740991, 9007199254740991) then
    error({err = 'ERR the number of permits would be out of range'})
  end
  -- In this order also a server that is out of memory lets it happen: it refuses the others as a first write only.
  redis.call('DEL', call)
  local available = redis.call('INCRBY', lock, change)
  redis.call('SET', call, string.format('%.0f', available), 'PX', keep)
  if before == nil and queue.given ~= lock then
    -- What was given was of a semaphore that is gone.
    redis.call('DEL', queue.given)
  end
  if payload == 'value' then
    return announcePermits(queue, available)
  end
  return {1, available, publishPermits(queue.publish, queue.channel, change)}
end

local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 4 do
  local base = (i - 1) * 5 + 1
  local lock = KEYS[(i - 1) * 4 + 1]
  local call = KEYS[(i - 1) * 4 + 2]
  local waiting = KEYS[(i - 1) * 4 + 3]
  local given = KEYS[(i - 1) * 4 + 4]
  local change = tonumber(ARGV[base + 1])
  local payload = ARGV[base + 2]
  local where = ARGV[base + 3]
  local keep = tonumber(ARGV[base + 4])
  local channel = ARGV[base + 5]
  local queue = {lock = lock, waiting = waiting, given = given, publish = publish, channel = channel}
  local ran, reply = pcall(attempt, queue, call, change, payload, where, keep)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
