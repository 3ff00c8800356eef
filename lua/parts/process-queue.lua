-- The queue of processes that wait for a plain or a fenced lock: docs/contributing/queue-of-processes.md. `queue` has the keys `lock` and
-- `waiting`, the channel of the lock as `channel`, the command that publishes as `publish`, and for a process that waits `life` and `soon`, in ms.

-- The client uuid that a holder id begins with; nil for what is no holder id.
local function clientOf(holder)
  return string.match(holder, '^(.*):%d+$')
end

-- Whether processes have a place at a lock, or listen for others. A key of another type, which a stranger has put there, is no queue.
local function hasQueue(queue)
  local size = queue.waiting ~= queue.lock and redis.pcall('ZCARD', queue.waiting)
  return type(size) == 'number' and size > 0
end

-- Reads the beginning of the queue in one command. Returns its listeners, of which there are two at most and which have scores
-- below 0, the first place with its ticket, and the second place; nil for places that there are not.
local function readQueue(waiting)
  local members = redis.call('ZRANGE', waiting, 0, 3, 'WITHSCORES')
  local listeners = {}
  local at = 1
  while members[at] and string.sub(members[at + 1], 1, 1) == '-' do
    listeners[#listeners + 1] = members[at]
    at = at + 2
  end
  return listeners, members[at], tonumber(members[at + 1]), members[at + 2]
end

-- The place with the lowest ticket in the queue; nil without one. Listeners have scores below 0.
local function firstPlace(waiting)
  return redis.call('ZRANGEBYSCORE', waiting, 1, '+inf', 'LIMIT', 0, 1)[1]
end

-- Removes the place of a process that does not come, and its listener.
local function dropPlace(queue, place)
  redis.call('ZREM', queue.waiting, place, 'listener:' .. clientOf(place))
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

-- Removes those of the `listeners` that are dead. If one of the two is missing, it calls the last process that is alive and no listener, because
-- that one waits longest: it becomes a listener by its own next call. Dead ones behind it are removed. Returns how many clients listen to the
-- lock's channel beside the listeners, the first place, which was `first`, and a listener that is alive. If PUBSUB is refused: 1, and no listener.
local function mendListeners(queue, listeners, first)
  local asked = {queue.channel}
  local candidates = {}
  for _, listener in ipairs(listeners) do
    asked[#asked + 1] = queue.channel .. ':' .. string.sub(listener, 10)
  end
  if #listeners < 2 then
    local last = redis.call('ZRANGE', queue.waiting, -3, -1)
    for at = #last, 1, -1 do
      local client = clientOf(last[at])
      if client and 'listener:' .. client ~= listeners[1] then
        asked[#asked + 1] = queue.channel .. ':' .. client
        candidates[#candidates + 1] = last[at]
      end
    end
  end
  local counts = redis.pcall('PUBSUB', queue.publish == 'SPUBLISH' and 'SHARDNUMSUB' or 'NUMSUB', unpack(asked))
  if counts.err then
    return 1, first
  end
  local others = counts[2]
  local alive
  for at = 1, #listeners do
    if counts[at * 2 + 2] > 0 then
      others = others - 1
      alive = alive or listeners[at]
    else
      redis.call('ZREM', queue.waiting, listeners[at])
    end
  end
  for at = 1, #candidates do
    local index = (#listeners + at) * 2 + 1
    if counts[index + 1] > 0 then
      publishMessage(queue.publish, counts[index], 'listen')
      break
    end
    redis.call('ZREM', queue.waiting, candidates[at])
    if candidates[at] == first then
      first = firstPlace(queue.waiting)
    end
  end
  return math.max(others, 0), first, alive
end

-- Notifies the process of a place that it is its turn. Returns the clients that were reached; -1 where publishing was refused.
local function callPlace(queue, place)
  local client, number = string.match(place, '^(.*):(%d+)$')
  return publishMessage(queue.publish, queue.channel .. ':' .. client, 'come ' .. number)
end

-- Notifies the first process of the queue that is alive: one whose channel has no subscriber loses its place. Returns its place; nil without
-- one, and where publishing was refused, which says nothing of the process. `place` is the first one, where that is known.
local function callFirst(queue, place)
  place = place or firstPlace(queue.waiting)
  while place do
    local reached = callPlace(queue, place)
    if reached ~= 0 then
      return reached > 0 and place or nil
    end
    dropPlace(queue, place)
    place = firstPlace(queue.waiting)
  end
  return nil
end

-- Notifies the first process of the queue, as `callFirst` does. Where others listen to the lock's channel, which are as fast as its own call, it
-- gets the lock at once, for `lease` ms; 0: it takes the lock itself.
local function callNext(queue, first, others, lease)
  local called = callFirst(queue, first)
  if called and others > 0 and lease > 0 then
    redis.call('HSET', queue.lock, called, '1')
    redis.call('PEXPIRE', queue.lock, lease)
  end
  return called
end

-- Whether a release is left to the others that listen to a lock's channel, Redisson's threads and older versions of this library: every
-- second one is. The score of a listener says whose turn the last one was.
local function turnOfOthers(waiting, listener)
  local isTheirs = redis.call('ZSCORE', waiting, listener) == '-1'
  redis.call('ZADD', waiting, isTheirs and -2 or -1, listener)
  return isTheirs
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

-- Grants a lock to the process of a place, if it is free, or that process has it already. The place ends. A lease that may end before the
-- listeners check is announced to them. A process that has come for a lock that it was given gets just the lease that it asks for.
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
  if lease < queue.soon then
    for _, listener in ipairs(listeners) do
      publishMessage(queue.publish, queue.channel .. ':' .. string.sub(listener, 10), 'ends ' .. string.format('%.0f', lease))
    end
  end
  return granted == 1 and 1 or granted[2]
end

-- Grants a lock to a process whose turn it is, answering {1, hold count, whether it is a listener}; else gives it a place in the queue of
-- processes, answering {0, ttl, one holder, ticket, whether it is a listener, whether one is missing, places, the place that was notified and
-- has not come}.
local function waitForTurn(queue, holder, lease, ticket, listens)
  if not isWhole(lease, 1, 315360000000) or not isWhole(queue.life, 1, 315360000000) or not isWhole(queue.soon, 0, 315360000000)
      or not isWhole(ticket, 0, 9007199254740991) then
    error({err = 'ERR a lease, a time or a ticket is out of range'})
  end
  local client = clientOf(holder)
  if not client then
    error({err = 'ERR the holder id has no client'})
  end
  local lock = queue.lock
  local waiting = queue.waiting
  local current = redis.call('HRANDFIELD', lock)
  local listeners, first, lowest, second = readQueue(waiting)
  local isTurn = not first or first == holder or (ticket > 0 and ticket < lowest)
  if current == holder or (not current and isTurn) then
    local count = grantPlace(queue, listeners, holder, lease, not current)
    return {1, count, (listListener(queue, listeners, client, listens))}
  end
  local own = ticket
  if own == 0 then
    local last = redis.call('ZRANGE', waiting, -1, -1, 'WITHSCORES')
    own = math.max(tonumber(last[2] or 0), 0) + 1
  end
  -- A server that is out of memory refuses it: the caller asks again later.
  local added = redis.pcall('ZADD', waiting, 'NX', own, holder)
  if type(added) ~= 'number' then
    return {0, redis.call('PTTL', lock), current or '', 0, 0, 0, 0, ''}
  end
  if added == 0 and ticket == 0 then
    -- The answer that gave it the place was lost.
    own = tonumber(redis.call('ZSCORE', waiting, holder))
  end
  lengthenQueue(queue)
  local isListener, isMissing = listListener(queue, listeners, client, listens)
  local places = math.min((first and 1 or 0) + (second and 1 or 0) + added, 2)
  -- A holder that still has its place was given the lock by a release or `pass`, and has not come for it.
  local called = not current and first or ((current == first or current == second) and current)
  return {0, redis.call('PTTL', lock), current or '', own, isListener, isMissing, places, called or ''}
end
