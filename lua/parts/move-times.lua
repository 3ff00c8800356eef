-- Adds `ms` to the times of everyone behind a waiter of a fair lock, and with `own` to its own. Whoever stands in the queue
-- twice is moved once, and a waiter without a time gets none.
local function moveTimes(fair, holder, own, ms)
  local moved = {[holder] = not own}
  local reached = false
  for _, waiter in ipairs(redis.call('LRANGE', fair.queue, 0, -1)) do
    reached = reached or waiter == holder
    if reached and not moved[waiter] then
      moved[waiter] = true
      redis.call('ZADD', fair.timeout, 'XX', 'INCR', ms, waiter)
    end
  end
end
