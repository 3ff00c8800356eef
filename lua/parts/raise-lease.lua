-- Raises the ttl of the hash to at least `lease` ms. One without a ttl gets no less than its longest read hold has (D17).
local function raiseLease(lock, lease)
  local left = redis.call('PTTL', lock)
  if left == -1 then
    lease = math.max(lease, longestRead(lock))
  end
  if left < lease then
    redis.call('PEXPIRE', lock, lease)
    left = lease
  end
  return left
end
