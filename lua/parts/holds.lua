-- A holder, its hold count and its lease, in the hash of a lock.

-- Takes a free lock, or raises the count of a holder that has it already, to `count`; never shortens the lease (D28).
-- Answers 1 when the holder has just that count; {1, hold count} when it had more; {0, ttl, one holder} for busy; {2} when the holder
-- has lost the holds below `count`. A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function take(lock, holder, lease, count)
  if not isWhole(lease, 1, 315360000000) or not isWhole(count, 1, 2147483647) then
    error({err = 'ERR the lease or the hold count is out of range'})
  end
  if redis.call('EXISTS', lock) == 0 then
    if count > 1 then
      return {2}
    end
    -- A text: Redis prints each number that it is given, and this is what nearly every call comes to.
    redis.call('HSET', lock, holder, '1')
    redis.call('PEXPIRE', lock, lease)
    return 1
  end
  local held = tonumber(redis.call('HGET', lock, holder))
  if held == nil then
    return {0, redis.call('PTTL', lock), redis.call('HRANDFIELD', lock)}
  end
  if held < count then
    redis.call('HSET', lock, holder, count)
    held = count
  end
  if redis.call('PTTL', lock) < lease then
    redis.call('PEXPIRE', lock, lease)
  end
  return held == count and 1 or {1, held}
end

-- Gives a lock a lease of `lease` ms, whatever it has. Answers whether that is shorter than before: then its waiters, which sleep for the
-- lease that they know, have to be notified. What is left stays where it is longer by no more than `spare` ms.
local function setLease(lock, lease, spare)
  local left = redis.call('PTTL', lock)
  if left > lease and left <= lease + spare then
    lease = left
  end
  redis.call('PEXPIRE', lock, lease)
  return left > lease or left == -1
end

-- Transfers a lock from one holder to another, which has it once and with `lease` then. A lease that becomes shorter is published.
-- Answers 1, also where it was done before; {2} when the former holder had lost a lock that was free; {0, ttl, one holder} for busy.
-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function transferHold(lock, from, to, lease, publish, channel)
  if not isWhole(lease, 1, 315360000000) or from == to then
    error({err = 'ERR the lease is out of range, or the two holders are the same'})
  end
  if redis.call('HEXISTS', lock, from) == 1 then
    -- In this order also a server that is out of memory lets it happen: it refuses HSET as a first write only.
    local isShorter = setLease(lock, lease, 0)
    redis.call('HSET', lock, to, '1')
    redis.call('HDEL', lock, from)
    if isShorter then
      publishShorterLease(publish, channel)
    end
    return 1
  end
  if redis.call('HEXISTS', lock, to) == 1 then
    -- The caller counts its lease from this call, not from the one whose reply it never had.
    if redis.call('PTTL', lock) < lease then
      redis.call('PEXPIRE', lock, lease)
    end
    return 1
  end
  if redis.call('EXISTS', lock) == 1 then
    return {0, redis.call('PTTL', lock), redis.call('HRANDFIELD', lock)}
  end
  redis.call('HSET', lock, to, '1')
  redis.call('PEXPIRE', lock, lease)
  return {2}
end
