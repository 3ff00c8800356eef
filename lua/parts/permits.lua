-- The permits of a semaphore.

-- Reads a key that counts, or nil where there is none. What is no plain integer is refused, before anything is written.
local function amount(key)
  local value = redis.call('GET', key)
  if not value then
    return nil
  end
  if not string.match(value, '^%-?%d+$') or not isWhole(tonumber(value), -9007199254740991, 9007199254740991) then
    error({err = 'ERR the value of the key is not an integer, or out of range'})
  end
  return tonumber(value)
end

-- A permit id as Redis has it, 16 bytes, from the 32 hex characters in which everybody else sees it.
local function raw(permit)
  if #permit ~= 32 or string.find(permit, '[^0-9a-f]') then
    error({err = 'ERR a permit id is 32 hex characters in lower case'})
  end
  return (string.gsub(permit, '..', function(pair)
    return string.char(tonumber(pair, 16))
  end))
end

-- A permit id as everybody sees it, from the bytes that Redis has.
local function hex(bytes)
  return (string.gsub(bytes, '.', function(byte)
    return string.format('%02x', string.byte(byte))
  end))
end

-- Publishes a number of permits on a semaphore's channel: 1 to 2147483647 only, since Java raises at other payloads (wire format section 10).
local function publishPermits(publish, channel, permits)
  if permits <= 0 then
    return 0
  end
  return publishMessage(publish, channel, string.format('%.0f', math.min(permits, 2147483647)))
end

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
