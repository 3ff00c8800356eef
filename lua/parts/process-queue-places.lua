-- How a process takes its place in the queue of processes, and what is granted to it there. `queue` is that of process-queue.lua.

-- Whether processes have a place at a lock, or listen for others. A key of another type, which a stranger has put there, is no queue.
local function hasQueue(queue)
  local size = queue.waiting ~= queue.lock and redis.pcall('ZCARD', queue.waiting)
  return type(size) == 'number' and size > 0
end

-- Takes a lock, as `take` does, but not a free one before the processes that have a place, for a caller that is ready to wait: {3, the first
-- place}.
local function takeUnlessQueued(queue, holder, lease, count, waits)
  local isFree = waits and count == 1 and redis.call('EXISTS', queue.lock) == 0
  local first = isFree and hasQueue(queue) and firstPlace(queue.waiting)
  if first then
    return {3, first}
  end
  local reply = take(queue.lock, holder, lease, count)
  if count == 1 and reply == 1 and hasQueue(queue) then
    -- A process that could not be notified takes the lock past its place.
    redis.call('ZREM', queue.waiting, holder)
  end
  return reply
end

-- The queue outlives the last call of a waiter by its `life`, which never becomes shorter.
local function lengthenQueue(queue)
  if redis.call('PTTL', queue.waiting) < queue.life then
    redis.call('PEXPIRE', queue.waiting, queue.life)
  end
end

-- Lists a process as a listener of the queue where one of the two is missing and it listens to the lock's channel, and takes it off where it
-- listens no more. Returns 1 where it is one from now on, and 1 where one is missing; else 0. The queue lasts for its `life` then.
local function listListener(queue, listeners, client, listens)
  local listener = 'listener:' .. client
  local isListener = listeners[1] == listener or listeners[2] == listener
  if isListener and not listens then
    redis.call('ZREM', queue.waiting, listener)
    return 0, 1
  end
  if not isListener and listens and #listeners < 2 then
    redis.call('ZADD', queue.waiting, -1, listener)
    lengthenQueue(queue)
    return 1, #listeners == 0 and 1 or 0
  end
  return isListener and 1 or 0, #listeners < 2 and 1 or 0
end

-- The client of a process that waits, of which all that it named is checked.
local function checkWait(queue, place, lease, ticket)
  if not isWhole(lease, 1, 315360000000) or not isWhole(queue.life, 1, 315360000000) or not isWhole(queue.soon, 0, 315360000000)
      or not isWhole(ticket, 0, 9007199254740991) then
    error({err = 'ERR a lease, a time or a ticket is out of range'})
  end
  local client = clientOf(place)
  if not client then
    error({err = 'ERR the holder id has no client'})
  end
  return client
end

-- Whether it is the turn of a place: no other place is in front of it. One that was dropped has the `ticket` that it had.
local function isTurnOf(place, ticket, first, lowest)
  return not first or first == place or (ticket > 0 and ticket < lowest)
end

-- Gives a process a place in the queue, with the `ticket` that it had, else behind all others. Returns its ticket (0: the server refused to
-- store it), 1 where the process is a listener, 1 where one is missing, and how many processes have a place (2: or more).
local function takePlace(queue, place, ticket, listens, listeners, first, second)
  local waiting = queue.waiting
  local own = ticket
  if own == 0 then
    local last = redis.call('ZRANGE', waiting, -1, -1, 'WITHSCORES')
    own = math.max(tonumber(last[2] or 0), 0) + 1
  end
  -- A server that is out of memory refuses it: the caller asks again later.
  local added = redis.pcall('ZADD', waiting, 'NX', own, place)
  if type(added) ~= 'number' then
    return 0, 0, 0, 0
  end
  if added == 0 and ticket == 0 then
    -- The answer that gave it the place was lost.
    own = tonumber(redis.call('ZSCORE', waiting, place))
  end
  lengthenQueue(queue)
  local isListener, isMissing = listListener(queue, listeners, clientOf(place), listens)
  return own, isListener, isMissing, math.min((first and 1 or 0) + (second and 1 or 0) + added, 2)
end

-- Announces a lease that may end before the listeners check.
local function announceLease(queue, listeners, lease)
  if lease < queue.soon then
    for _, listener in ipairs(listeners) do
      publishMessage(queue.publish, queue.channel .. ':' .. string.sub(listener, 10), 'ends ' .. string.format('%.0f', lease))
    end
  end
end

-- Grants a lock to the process of a place, if it is free, or that process has it already. The place ends. A process that has come for a lock
-- that it was given gets just the lease that it asks for.
local function grantPlace(queue, listeners, holder, lease, isFree)
  local granted = 1
  if isFree then
    redis.call('HSET', queue.lock, holder, '1')
  else
    granted = take(queue.lock, holder, lease, 1)
  end
  local hasCome = redis.call('ZREM', queue.waiting, holder) == 1
  if isFree or hasCome then
    redis.call('PEXPIRE', queue.lock, lease)
  end
  announceLease(queue, listeners, lease)
  return granted == 1 and 1 or granted[2]
end

-- Grants a lock to a process whose turn it is, answering {1, hold count, whether it is a listener}; else gives it a place in the queue of
-- processes, answering {0, ttl, one holder, ticket, whether it is a listener, whether one is missing, places, the place that was notified and
-- has not come}.
local function waitForTurn(queue, holder, lease, ticket, listens)
  local client = checkWait(queue, holder, lease, ticket)
  local lock = queue.lock
  local current = redis.call('HRANDFIELD', lock)
  local listeners, first, lowest, second = readQueue(queue.waiting)
  if current == holder or (not current and isTurnOf(holder, ticket, first, lowest)) then
    local count = grantPlace(queue, listeners, holder, lease, not current)
    return {1, count, (listListener(queue, listeners, client, listens))}
  end
  local own, isListener, isMissing, places = takePlace(queue, holder, ticket, listens, listeners, first, second)
  -- A holder that still has its place was given the lock by a release or `pass`, and has not come for it.
  local called = own > 0 and ((not current and first) or ((current == first or current == second) and current))
  return {0, redis.call('PTTL', lock), current or '', own, isListener, isMissing, places, called or ''}
end
