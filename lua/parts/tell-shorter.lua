-- Tells a lock's channel that the lease became shorter. All waiters ask again (`1`), for each of them sleeps for as long as it was told.
local function tellShorter(publish, channel)
  tell(publish, channel, '1')
end
