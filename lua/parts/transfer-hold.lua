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
