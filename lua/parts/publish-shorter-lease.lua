-- Publishes that the lease of a lock became shorter. All waiters ask again (`1`), for each of them sleeps for the lease that it knows.
local function publishShorterLease(publish, channel)
  publishMessage(publish, channel, '1')
end
