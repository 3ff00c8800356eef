-- What is published on the channel of any lock.

-- Publishes on a channel, and returns the clients that were reached. What it announces has been done by now: a channel that this user may not
-- publish on (-1) must not look like a failed call.
local function publishMessage(publish, channel, payload)
  local reached = redis.pcall(publish, channel, payload)
  return type(reached) == 'number' and reached or -1
end

-- Publishes that the lease of a lock became shorter. All waiters ask again (`1`), for each of them sleeps for the lease that it knows.
local function publishShorterLease(publish, channel)
  publishMessage(publish, channel, '1')
end
