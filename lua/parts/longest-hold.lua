-- What is left of the longest of a holder's first `count` read holds in ms; 0 when none of them lives.
local function longestHold(lock, holder, count)
  local longest = 0
  for n = 1, count do
    longest = math.max(longest, redis.call('PTTL', holdKey(lock, holder, n)))
  end
  return longest
end
