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
