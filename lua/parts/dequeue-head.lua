-- The head of a fair lock's queue is about to have the lock: it leaves the queue, and its wait goes off all times, which replicas
-- and the AOF get as one command. In chunks: unpack takes no more than about 8000 values (D27).
-- Returns whether the new head must be notified now. A head by a grant is notified of the release; but not of a lease that
-- may run out before a heartbeat finds out, there is one a second, and it may have to show that it lives.
local function dequeueHead(fair, holder, wait, lease)
  dropWaiter(fair, holder)
  local times = redis.call('ZRANGE', fair.timeout, 0, -1, 'WITHSCORES')
  for i = 1, #times, 2 do
    local waiter = times[i]
    times[i] = tonumber(times[i + 1]) - wait
    times[i + 1] = waiter
  end
  for first = 1, #times, 5000 do
    redis.call('ZADD', fair.timeout, unpack(times, first, math.min(first + 4999, #times)))
  end
  return pruneQueue(fair) or lease < 1000
end
