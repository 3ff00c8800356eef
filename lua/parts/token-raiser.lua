-- Reads a lock's counter of fencing tokens, and answers a function that raises it: to the store's clock in microseconds, or by 1
-- where it is not behind that clock, so that tokens go on rising when a failover lost the counter. Nothing is written before.
local function tokenRaiser(counter)
  local kind = redis.call('TYPE', counter).ok
  local stored = kind == 'none' and '0' or kind == 'string' and redis.call('GET', counter) or ''
  local last = (stored == '0' or string.match(stored, '^%-?[1-9]%d*$')) and tonumber(stored)
  if not last or last > 9e18 then
    error({err = 'ERR ' .. counter .. ' is no fencing token: not a whole number that can be raised'})
  end
  local time = redis.call('TIME')
  local clock = time[1] * 1000000 + time[2]
  return function()
    -- The clock is below 2^53, so a counter that is not, and was rounded here, is above it either way; INCR is exact.
    if last >= clock then
      redis.call('INCR', counter)
    else
      redis.call('SET', counter, string.format('%.0f', clock))
    end
    return redis.call('GET', counter)
  end
end
