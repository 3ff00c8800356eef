-- The queue of processes that wait to write, at a read/write lock: docs/contributing/queue-of-processes.md. `queue` is that of process-queue.lua.
-- The processes that wait to read are no part of it: they listen to the lock's channel, as Redisson's threads do, and have turns.

-- Lets the first place that is alive keep new readers out, while others read. A holder that reads itself waits for itself: that is no use.
-- Returns whether there is one. The intent lasts for 2.25 s: its process asks again after 2 s at the latest (WRITER_SLEEP
-- and ON_THE_WAY of the scripts of the write side).
local function keepReadersOut(queue)
  local place = firstPlace(queue.waiting)
  while place do
    local counts = redis.pcall('PUBSUB', queue.publish == 'SPUBLISH' and 'SHARDNUMSUB' or 'NUMSUB', queue.channel .. ':' .. (clientOf(place) or ''))
    if counts.err or counts[2] > 0 then
      if redis.call('HEXISTS', queue.lock, place) == 0 then
        redis.pcall('SET', queue.intent, place, 'PX', math.max(2250, redis.call('PTTL', queue.intent)))
      end
      return true
    end
    dropPlace(queue, place)
    place = firstPlace(queue.waiting)
  end
  return false
end

-- Notifies those that wait for a read/write lock that was freed just now by `holder`, whose place ends too. `lease` is that of `callNext`.
local function notifyWaiters(queue, holder, lease, payload)
  local isQueue, listeners, first = false, {}, nil
  if queue.waiting ~= queue.lock then
    isQueue, listeners, first = pcall(readQueue, queue.waiting)
  end
  if isQueue and (first or listeners[1]) then
    if redis.call('ZREM', queue.waiting, holder) == 1 then
      listeners, first = readQueue(queue.waiting)
    end
    return passOn(queue, listeners, first, lease, payload)
  end
  return {1, publishMessage(queue.publish, queue.channel, payload)}
end
