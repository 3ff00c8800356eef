-- Takes back the permits whose leases are over, and publishes that. In chunks: unpack takes no more than about 8000 values (D27).
-- Returns the store's time in ms, and the permits that are available now.
local function reclaim(publish, lock, timeout, channel)
  local time = redis.call('TIME')
  local at = time[1] * 1000 + math.floor(time[2] / 1000)
  local available = amount(lock)
  local count
  local reclaimed = 0
  repeat
    local expired = redis.call('ZRANGEBYSCORE', timeout, '-inf', string.format('%.0f', at), 'LIMIT', 0, 5000)
    count = #expired
    if count > 0 then
      redis.call('ZREM', timeout, unpack(expired))
      available = redis.call('INCRBY', lock, count)
      reclaimed = reclaimed + count
    end
  until count < 5000
  if reclaimed > 0 then
    publishPermits(publish, channel, available)
  end
  return at, available
end
