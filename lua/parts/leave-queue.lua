-- Takes a waiter out of the queue of a fair lock, and the wait that it declared off the times of everyone behind it (D1).
-- Answers whether it was the head. A wait that is not known any more is its distance from the one in front.
local function leaveQueue(fair, holder)
  local place = redis.call('LPOS', fair.queue, holder)
  local wait = declaredWait(fair, holder)
  if place and place > 0 and not wait then
    local own = tonumber(redis.call('ZSCORE', fair.timeout, holder))
    local front = tonumber(redis.call('ZSCORE', fair.timeout, redis.call('LINDEX', fair.queue, place - 1)))
    wait = own and front and math.max(own - front, 0)
  end
  -- First, because a server that is out of memory refuses the rest as a first write only.
  redis.call('ZREM', fair.timeout, holder)
  if place and wait then
    moveTimes(fair, holder, false, -math.abs(wait))
  end
  dropWaiter(fair, holder)
  return place == 0
end
