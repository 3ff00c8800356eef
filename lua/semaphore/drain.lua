-- Takes all permits that are available; a negative number of them becomes 0. Keeps the time to live of the key (D27).
-- Wire format section 10.
--
-- @include isWhole failure amount
-- @batch
-- @key   lock     the semaphore: available permits
-- @key   call     the call's record: the permits that it took and those that it left, or 'undone'
-- @arg   keep     how long the call's record is to live, in ms
-- @reply drained  {1, permits taken}
-- @reply undone   {2} the call was undone before it came
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: the call's record answers the second run

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(lock, call, keep)
  if not isWhole(keep, 1, 600000) then
    error({err = 'ERR the life of the record is out of range'})
  end
  local done = redis.call('GET', call)
  if done then
    local taken = tonumber(string.match(done, '^(%-?%d+) '))
    return taken and {1, taken} or {2}
  end
  local available = amount(lock) or 0
  if available ~= 0 then
    redis.call('DECRBY', lock, string.format('%.0f', available))
    redis.call('SET', call, string.format('%.0f 0', available), 'PX', keep)
  end
  return {1, available}
end

local replies = {}
for i = 1, #KEYS / 2 do
  local base = i - 1
  local lock = KEYS[base * 2 + 1]
  local call = KEYS[base * 2 + 2]
  local keep = tonumber(ARGV[base + 1])
  local ran, reply = pcall(attempt, lock, call, keep)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
