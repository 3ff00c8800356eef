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

-- When the first of the permits expires, in ms from `at` (-1: none ever does), and its id, empty for none.
local function nextExpiry(timeout, at)
  local first = redis.call('ZRANGE', timeout, 0, 0, 'WITHSCORES')
  if first[1] == nil then
    return -1, ''
  end
  local expiry = tonumber(first[2])
  return expiry >= 922337203685477 and -1 or expiry - at, hex(first[1])
end

-- Gives a permit until `expiry`. Returns how many are left.
local function givePermit(queue, id, expiry)
  local left = redis.call('DECRBY', queue.lock, 1)
  redis.call('ZADD', queue.timeout, string.format('%.0f', expiry), id)
  local ttl = redis.call('PTTL', queue.lock)
  if ttl > 0 then
    redis.call('PEXPIRE', queue.timeout, ttl)
  end
  return left
end

-- The permit id of a place in the queue of a semaphore, as Redis has it; nil for what is no such place.
local function permitOf(place)
  local permit = string.match(place, ':(%x+)$')
  return permit and #permit == 32 and raw(permit) or nil
end

-- Whether the process of a place has been given its permit, and has not come for it.
local function isGiven(queue, place)
  local id = place and permitOf(place)
  return id and redis.call('ZSCORE', queue.timeout, id) and true or false
end

-- That of the first two places which has been given a permit, and whose process has not come for it; empty for none.
local function givenPlace(queue, first, second)
  return isGiven(queue, first) and first or isGiven(queue, second) and second or ''
end

-- Removes a place from the queue of a semaphore, and the permit that it was given and that its process has not come for. Returns the
-- permits that are available now, of which there were `available`, and whether the place was there.
local function leavePlace(queue, place, available)
  local wasThere = redis.call('ZREM', queue.waiting, place) == 1
  local id = wasThere and permitOf(place)
  if id and redis.call('ZREM', queue.timeout, id) == 1 then
    available = redis.call('INCRBY', queue.lock, 1)
  end
  return available, wasThere
end

-- Notifies the first process of the queue, as `callFirst` does. Where others listen to the channel, which are as fast as its own call, it gets a
-- permit at once, for `lease` ms from `at`; 0: it takes the permit itself.
local function callNextPermit(queue, first, others, lease, at)
  local called = callFirst(queue, first)
  local id = called and others > 0 and lease > 0 and permitOf(called)
  if id and not redis.call('ZSCORE', queue.timeout, id) then
    givePermit(queue, id, at + lease)
  end
  return called
end
