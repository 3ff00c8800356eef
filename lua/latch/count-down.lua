-- Takes one off the count of a latch, and opens it at 0. Wire format section 10.
-- The latch does not know its callers, so a record of the call makes it safe to repeat; it is deleted once the reply has come.
--
-- @include isWhole failure amount publishMessage
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @key   latch    the latch: what is still to be counted down
-- @key   call     the call's record: the count after it
-- @arg   keep     how long the call's record is to live, in ms
-- @arg   channel  the latch's channel
-- @reply counted  {1, the count now}
-- @reply open     {0} the latch was open; nothing was changed
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: the call's record answers the second run, which publishes nothing

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(publish, latch, call, keep, channel)
  if not isWhole(keep, 1, 600000) then
    error({err = 'ERR the life of the record is out of range'})
  end
  local done = redis.call('GET', call)
  if done then
    return {1, tonumber(done)}
  end
  local left = amount(latch)
  if left == nil then
    return {0}
  end
  left = left - 1
  -- In this order also a server that is out of memory lets it happen: it refuses the others as a first write only.
  if left <= 0 then
    redis.call('DEL', latch)
  else
    redis.call('DEL', call)
    redis.call('DECR', latch)
  end
  redis.call('SET', call, string.format('%.0f', math.max(left, 0)), 'PX', keep)
  if left == 0 then
    publishMessage(publish, channel, '0')
  end
  return {1, math.max(left, 0)}
end

local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 2 do
  local base = (i - 1) * 2
  local latch = KEYS[base + 1]
  local call = KEYS[base + 2]
  local keep = tonumber(ARGV[base + 2])
  local channel = ARGV[base + 3]
  local ran, reply = pcall(attempt, publish, latch, call, keep, channel)
  replies[i] = ran and reply or failure(reply, latch)
end
return replies
