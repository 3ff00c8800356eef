-- Notifies the process whose turn it is that there are permits for it: for a listener that has received a release, for a process that has
-- notified one and has not seen it come, and for one that gives up its place, or does not listen for the others any more.
--
-- @include isWhole failure amount publishMessage publishPermits clientOf readQueue firstPlace dropPlace callPlace mendListeners wantedOf firstFitting callFitting givePermits firstGiven takeBack
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @key   lock     the semaphore: available permits
-- @key   waiting  the queue of processes, a sorted set: tickets by place, above 0; listeners below
-- @key   given    the places that were given permits, and whose processes have not come
-- @arg   absent   the place that was notified, and has not come; empty for none
-- @arg   leaving  what is given up: a place, or a listener (listener:<client uuid>); empty for none
-- @arg   yields   1 where others that listen to the semaphore's channel come first; else 0
-- @arg   gives    1 where the place gets its permits at once if there are others, which are as fast as its own call; else 0
-- @arg   channel  the semaphore's channel; that of a process is this, a colon, its client uuid
-- @reply taken    {0, permits available, '', places (2: or more), the place that was given permits and has not come for them, else empty} no
--                 place waits for so few permits
-- @reply called   {1, the place that was notified, and was given its permits if there are others}
-- @reply none     {2} no process has a place, or the one whose turn it is could not be notified
-- @reply theirs   {3} others come first
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: it notifies the same process again, or finds that it was given its permits; what is given up never comes back

-- Takes back what places were given whose processes have died, or have not come for a second: a guard may have had another one to look after.
-- Returns the permits that are available now.
local function takeBackFromAbsent(queue, available)
  local places = redis.call('HKEYS', queue.given)
  local time = #places > 0 and redis.call('TIME')
  for _, place in ipairs(places) do
    local since = tonumber(redis.call('HGET', queue.given, place)) or 0
    local isLate = time[1] * 1000 + math.floor(time[2] / 1000) - since > 1000
    if callPlace(queue, place) == 0 or isLate then
      dropPlace(queue, place)
      available = takeBack(queue, place, available)
    end
  end
  return available
end

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(queue, absent, leaving, yields, gives)
  local available = amount(queue.lock)
  redis.call('HLEN', queue.given)
  local before = available
  if leaving ~= '' then
    redis.call('ZREM', queue.waiting, leaving)
    available = takeBack(queue, leaving, available)
  end
  local isAbsent = absent ~= '' and (redis.call('HEXISTS', queue.given, absent) == 1 or firstFitting(queue, available or 0) == absent)
  if isAbsent then
    available = takeBack(queue, absent, available)
    dropPlace(queue, absent)
    -- It may be alive, and slow.
    callPlace(queue, absent)
  end
  available = takeBackFromAbsent(queue, available)
  local listeners, first = readQueue(queue.waiting)
  local others = mendListeners(queue, listeners, first)
  if available and available > before and others > 0 then
    -- The others have found them taken, and wait for their release.
    publishPermits(queue.publish, queue.channel, available)
  end
  if not firstFitting(queue, available or 0) then
    local places = redis.call('ZRANGEBYSCORE', queue.waiting, 1, '+inf', 'LIMIT', 0, 2)
    if #places == 0 then
      return {2}
    end
    return {0, available or 0, '', #places, firstGiven(queue) or ''}
  end
  if yields and others > 0 then
    return {3}
  end
  local called = callFitting(queue, available)
  if called and gives and others > 0 then
    givePermits(queue, called)
  end
  return called and {1, called} or {2}
end

local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 3 do
  local lock = KEYS[(i - 1) * 3 + 1]
  local waiting = KEYS[(i - 1) * 3 + 2]
  local given = KEYS[(i - 1) * 3 + 3]
  local base = (i - 1) * 5 + 1
  local absent = ARGV[base + 1]
  local leaving = ARGV[base + 2]
  local yields = ARGV[base + 3] == '1'
  local gives = ARGV[base + 4] == '1'
  local channel = ARGV[base + 5]
  local queue = {lock = lock, waiting = waiting, given = given, publish = publish, channel = channel}
  local ran, reply = pcall(attempt, queue, absent, leaving, yields, gives)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
