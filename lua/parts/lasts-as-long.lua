-- Whether one of a few read holds, taken at random, lasts as long as the lock's hash, but for 50 ms.
local function lastsAsLong(lock)
  local present = redis.call('PTTL', lock)
  local some = present > 0 and redis.call('HRANDFIELD', lock, 10, 'WITHVALUES') or {}
  for at = 1, #some, 2 do
    local left = longestHold(lock, some[at], tonumber(some[at + 1]) or 0)
    if left > 0 and math.abs(left - present) <= 50 then
      return true
    end
  end
  return false
end
