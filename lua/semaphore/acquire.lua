-- Takes permits of a semaphore, all of them or none. Wire format section 10.
-- The semaphore knows no holders, so a record of the call makes it safe to repeat; it is deleted once the reply has come.
--
-- @include isWhole failure amount
-- @batch
-- @key   lock     the semaphore: available permits
-- @key   call     the call's record: the permits that it took and those that it left, or 'undone'
-- @arg   wanted   the permits to take, 1 to 2147483647
-- @arg   keep     how long the call's record is to live, in ms
-- @reply granted  {1, permits left}
-- @reply busy     {0, permits available}
-- @reply undone   {2} the call was undone before it came
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: the call's record answers the second run

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(lock, call, wanted, keep)
  if not isWhole(wanted, 1, 2147483647) or not isWhole(keep, 1, 600000) then
    error({err = 'ERR the number of permits or the life of the record is out of range'})
  end
  local done = redis.call('GET', call)
  if done then
    local left = tonumber(string.match(done, ' (%d+)$'))
    return left and {1, left} or {2}
  end
  local available = amount(lock)
  if available == nil or available < wanted then
    return {0, available or 0}
  end
  local left = redis.call('DECRBY', lock, wanted)
  redis.call('SET', call, string.format('%.0f %.0f', wanted, left), 'PX', keep)
  return {1, left}
end

local replies = {}
for i = 1, #KEYS / 2 do
  local base = (i - 1) * 2
  local lock = KEYS[base + 1]
  local call = KEYS[base + 2]
  local wanted = tonumber(ARGV[base + 1])
  local keep = tonumber(ARGV[base + 2])
  local ran, reply = pcall(attempt, lock, call, wanted, keep)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
