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
