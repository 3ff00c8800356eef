-- Whether one of a few read holds, taken at random, lasts as long as the lock's hash, but for 50 ms. Where all began together,
-- as they do after a writer, one of two does; to take ten at once would be most of what a release costs.
local function lastsAsLong(lock)
  local present = redis.call('PTTL', lock)
  for _, picks in ipairs({'-2', '-10'}) do
    local some = present > 0 and redis.call('HRANDFIELD', lock, picks, 'WITHVALUES') or {}
    for at = 1, #some, 2 do
      local left = longestHold(lock, some[at], tonumber(some[at + 1]) or 0)
      if left > 0 and math.abs(left - present) <= 50 then
        return true
      end
    end
  end
  return false
end
