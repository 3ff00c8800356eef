-- The place with the lowest ticket in a queue of processes; nil without one. Listeners have scores below 0.
local function firstPlace(waiting)
  return redis.call('ZRANGEBYSCORE', waiting, 1, '+inf', 'LIMIT', 0, 1)[1]
end
