-- Fencing tokens: how a lock raises them, and how a store checks them.

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

-- Lets a writer pass whose fencing token is not older than the newest one that passed at this key, and stores the token there.
-- Answers 1, or 0 when a newer one has passed. Tokens are compared as decimal text: numbers are exact up to 2^53 only.
-- @public
local function fence(key, token)
  local function check(text)
    if type(text) ~= 'string' or text ~= '0' and not string.match(text, '^[1-9]%d*$') then
      error('ERR a fencing token is a whole number as decimal text, and so is what a fence has: ' .. key, 0)
    end
  end
  check(token)
  local newest = redis.call('GET', key)
  if newest then
    check(newest)
    if #token < #newest or #token == #newest and token < newest then
      return 0
    end
  end
  redis.call('SET', key, token)
  return 1
end
