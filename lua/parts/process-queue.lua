-- The queue of processes that wait for a plain or a fenced lock, to write, or for a permit: docs/contributing/queue-of-processes.md. `queue` has
-- the keys `lock` and `waiting`, the channel of the lock as `channel`, the command that publishes as `publish`, and for a process that waits
-- `life` and `soon`, in ms. At a read/write lock, whose places wait to write, it also has the channel `readers` of the processes that wait to
-- read, for scripts that notify; the key `intent`, for those that change it; and `hadTurn`, true for a release of readers.

-- The client uuid that a place begins with; nil for what is no place.
local function clientOf(place)
  return string.match(place, '^(.*):%x+$')
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

-- Removes the place of a process that does not come, and its listener; also what is no place, which a stranger has put there.
local function dropPlace(queue, place)
  redis.call('ZREM', queue.waiting, place, 'listener:' .. (clientOf(place) or ''))
end

-- Removes those of the `listeners` that are dead. If one of the two is missing, it calls the last process that is alive and no listener, because
-- that one waits longest: it becomes a listener by its own next call. Dead ones behind it are removed. Returns how many clients listen to the
-- lock's channel beside the listeners, the first place, which was `first`, a listener that is alive, and how many of these clients do not wait to
-- read, at least. If PUBSUB is refused: 1, and no listener. A process that waits to read is one of the others, also where it is a listener.
local function mendListeners(queue, listeners, first)
  local asked = {queue.channel}
  local successors = {}
  for _, listener in ipairs(listeners) do
    asked[#asked + 1] = queue.channel .. ':' .. string.sub(listener, 10)
  end
  if #listeners < 2 then
    local last = redis.call('ZRANGE', queue.waiting, -3, -1)
    for at = #last, 1, -1 do
      local client = clientOf(last[at])
      if client and 'listener:' .. client ~= listeners[1] then
        asked[#asked + 1] = queue.channel .. ':' .. client
        successors[#successors + 1] = last[at]
      end
    end
  end
  asked[#asked + 1] = queue.readers
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
  for at = 1, #successors do
    local index = (#listeners + at) * 2 + 1
    if counts[index + 1] > 0 then
      publishMessage(queue.publish, counts[index], 'listen')
      break
    end
    redis.call('ZREM', queue.waiting, successors[at])
    if successors[at] == first then
      first = firstPlace(queue.waiting)
    end
  end
  local readers = queue.readers and counts[#asked * 2] or 0
  return math.max(others, readers), first, alive, others - readers
end

-- Notifies the process of a place that it is its turn. Returns the clients that were reached, 0 for what is no place; -1 where publishing was
-- refused.
local function callPlace(queue, place)
  local client, number = string.match(place, '^(.*):(%x+)$')
  if not client then
    return 0
  end
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
    if queue.readers then
      -- The place writes.
      redis.call('HSET', queue.lock, 'mode', 'write', called .. ':write', '1')
    else
      redis.call('HSET', queue.lock, called, '1')
    end
    redis.call('PEXPIRE', queue.lock, lease)
  end
  return called
end

-- Whether a release is left to the others that listen to a lock's channel, Redisson's threads and older versions of this library: every
-- second one is. Those of last readers, `isRead`, are counted apart, for in the turns of the others at releases of writers readers are faster.
-- The score of a listener says whose turn the last ones were: of an even score that of the others at a release of a writer, of -3 and -4 at one
-- of a last reader.
local function turnOfOthers(waiting, listener, isRead)
  local score = tonumber(redis.call('ZSCORE', waiting, listener))
  local atRead = score < -2 and 2 or 0
  local isTheirs
  if isRead then
    isTheirs = atRead == 0
    score = isTheirs and score - 2 or -1
  else
    isTheirs = score + atRead == -1
    score = (isTheirs and -2 or -1) - atRead
  end
  redis.call('ZADD', waiting, score, listener)
  return isTheirs
end

-- Notifies those that wait for a lock that was freed just now, and has a queue. Nothing is published on the lock's channel that only the two
-- listeners of the queue would receive. `lease` is that of `callNext`.
local function passOn(queue, listeners, place, lease, payload)
  local others, first, listener, notReaders = mendListeners(queue, listeners, place)
  local isTheirs = false
  if first and listener and others > 0 then
    -- Readers have had a turn, the holder that has ended among them. Writers without a place, Redisson's and of older versions, have not.
    if queue.hadTurn and notReaders <= 0 then
      redis.call('ZADD', queue.waiting, -1, listener)
    else
      isTheirs = turnOfOthers(queue.waiting, listener, queue.hadTurn)
    end
  end
  -- Without a listener no release is the turn of the others, so the lock stays free for them: a lease of 0.
  local called = first and not isTheirs and callNext(queue, first, others, listener and lease or 0)
  if (others > 0 or (first and not called)) and publishMessage(queue.publish, queue.channel, payload) == -1 then
    others = -1
  end
  return {1, others, called or ''}
end

-- Answers a `pass` that finds the lock free: notifies the process whose turn it is. `absent` was notified, and has not come; '' for none.
-- `isBack` says that the lock was taken back from a place just now.
local function passFree(queue, absent, yields, lease, isBack, payload)
  local listeners, first = readQueue(queue.waiting)
  if absent ~= '' and first == absent then
    dropPlace(queue, absent)
    -- It may be alive, and slow.
    callPlace(queue, absent)
    listeners, first = readQueue(queue.waiting)
  end
  local others
  others, first = mendListeners(queue, listeners, first)
  if not first then
    -- The others have found it taken, and wait for its release.
    if isBack and others > 0 then
      publishMessage(queue.publish, queue.channel, payload)
    end
    return {2}
  end
  if yields and others > 0 then
    return {3}
  end
  local place = callNext(queue, first, others, lease)
  return place and {1, place} or {2}
end
