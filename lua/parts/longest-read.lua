-- What is left of the longest read hold of all holders in ms; 0 when none lives. Fields of writers have no hold keys.
local function longestRead(lock)
  local longest = 0
  local fields = redis.call('HGETALL', lock)
  for at = 1, #fields, 2 do
    longest = math.max(longest, longestHold(lock, fields[at], tonumber(fields[at + 1]) or 0))
  end
  return longest
end
