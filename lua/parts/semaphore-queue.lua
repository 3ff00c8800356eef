-- The queue of processes that wait for permits of a plain semaphore: docs/contributing/queue-of-processes.md. A place is
-- <client uuid>:<permits, 10 digits><number of the call>, for a call may need several. `queue` is that of process-queue.lua, with the key `given`:
-- a hash of the places that were given their permits, and whose processes have not come for them, by the store's time in ms at which they were.

-- How many permits a place waits for; nil for what is no such place.
local function wantedOf(place)
  local number = string.match(place, ':(%d+)$')
  return number and #number > 10 and tonumber(string.sub(number, 1, 10)) or nil
end

-- The first place for which so many permits are enough, and that has not been given any, with its ticket; nil without one. A place that waits for
-- more does not hold up those behind it.
local function firstFitting(queue, available)
  local from = 0
  local places
  repeat
    places = available > 0 and redis.call('ZRANGEBYSCORE', queue.waiting, 1, '+inf', 'LIMIT', from, 50) or {}
    for _, place in ipairs(places) do
      if (wantedOf(place) or 1) <= available and redis.pcall('HEXISTS', queue.given, place) ~= 1 then
        return place, tonumber(redis.call('ZSCORE', queue.waiting, place))
      end
    end
    from = from + #places
  until #places < 50
  return nil
end

-- Notifies the first process for which so many permits are enough, and that is alive: one whose channel has no subscriber loses its place.
-- Returns its place; nil without one, and where publishing was refused, which says nothing of the process.
local function callFitting(queue, available)
  local place = firstFitting(queue, available)
  while place do
    local reached = callPlace(queue, place)
    if reached ~= 0 then
      return reached > 0 and place or nil
    end
    dropPlace(queue, place)
    place = firstFitting(queue, available)
  end
  return nil
end

-- Gives a place its permits at once: others that listen to the channel are as fast as the next call of its process would be. Not on a server that
-- is out of memory. A permit has no lease, so they are lost with a process that dies before it has come, if no other process takes them back.
local function givePermits(queue, place)
  local time = redis.call('TIME')
  local at = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
  if type(redis.pcall('HSET', queue.given, place, at)) == 'number' then
    redis.call('PEXPIRE', queue.given, 600000)
    redis.call('DECRBY', queue.lock, wantedOf(place) or 1)
  end
end

-- A place that was given permits, and whose process has not come for them; nil without one.
local function firstGiven(queue)
  return redis.call('HKEYS', queue.given)[1]
end

-- Takes back what a place was given, and its process has not come for. Returns the permits that are available now, of which there were
-- `available`; nil where there is no semaphore.
local function takeBack(queue, place, available)
  -- Read first: a first write that is nothing would let the next one pass on a server that is out of memory.
  local isGiven = redis.pcall('HEXISTS', queue.given, place) == 1 and redis.call('HDEL', queue.given, place) == 1
  if isGiven and available and clientOf(place) then
    return redis.call('INCRBY', queue.lock, wantedOf(place) or 1)
  end
  return available
end

-- Tells those that wait of permits that came back: the first process of the queue for which they are enough, and the others that listen to the
-- channel of the semaphore. Returns {1, the permits, clients that listen beside the listeners of the queue (-1: publishing was refused), the
-- place that was notified, empty for none}; without a queue {1, the permits, clients that PUBLISH reached}.
local function announcePermits(queue, available)
  if not hasQueue(queue) then
    return {1, available, publishPermits(queue.publish, queue.channel, available)}
  end
  local listeners, first = readQueue(queue.waiting)
  local others, _, listener = mendListeners(queue, listeners, first)
  if available < 1 then
    return {1, available, 0, ''}
  end
  local fitting = firstFitting(queue, available)
  local isTheirs = fitting and listener and others > 0 and turnOfOthers(queue.waiting, listener)
  local called = not isTheirs and callFitting(queue, available)
  -- Without a listener no release is the turn of the others, so the permits stay available for them.
  if called and listener and others > 0 then
    givePermits(queue, called)
  end
  -- Nothing is published that only the two listeners of the queue would receive, unless the process could not be notified.
  if (others > 0 or (fitting and not called)) and publishPermits(queue.publish, queue.channel, available) == -1 then
    others = -1
  end
  return {1, available, others, called or ''}
end
