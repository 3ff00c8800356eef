-- Takes a waiter out of the queue of a fair lock, wherever it stands, and forgets all about it; the times of the others stay.
-- In this order also a server that is out of memory lets it happen, and what the caller does afterwards: none of it is refused.
local function dropWaiter(fair, holder)
  redis.call('ZREM', fair.timeout, holder)
  redis.call('LREM', fair.queue, 0, holder)
  redis.call('HDEL', fair.waits, holder)
end
