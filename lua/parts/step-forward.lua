-- The head of a fair lock's queue is about to have the lock: it leaves the queue, and its wait goes off all times.
-- Answers whether the new head is to be told now. Who became the head by a grant hears of the release; but not of a lease that
-- may run out before a beat finds out, there is one a second, and it may have to show that it lives.
local function stepForward(fair, holder, wait, lease)
  dropWaiter(fair, holder)
  for _, waiter in ipairs(redis.call('ZRANGE', fair.timeout, 0, -1)) do
    redis.call('ZINCRBY', fair.timeout, -wait, waiter)
  end
  return pruneQueue(fair) or lease < 1000
end
