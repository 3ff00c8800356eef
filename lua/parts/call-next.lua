-- Notifies the first process of a queue, as `callFirst` does. Where others listen to the lock's channel, which are as fast as its own call, it
-- gets the lock at once, for `lease` ms; 0: it takes the lock itself.
local function callNext(queue, first, others, lease)
  local called = callFirst(queue, first)
  if called and others > 0 and lease > 0 then
    redis.call('HSET', queue.lock, called, '1')
    redis.call('PEXPIRE', queue.lock, lease)
  end
  return called
end
