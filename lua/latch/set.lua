-- Closes a latch with a count, unless it is closed. Wire format section 10, try set count.
--
-- @include isWhole failure amount publishMessage
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @key   latch    the latch: what is still to be counted down
-- @key   call     the call's record: '1'
-- @arg   wanted   the count to have, 1 to 9007199254740991
-- @arg   keep     how long the call's record is to live, in ms
-- @arg   channel  the latch's channel
-- @reply made     {1}
-- @reply there    {0} it has a count; nothing was changed
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: the call's record answers the second run

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(publish, latch, call, wanted, keep, channel)
  if not isWhole(wanted, 1, 9007199254740991) or not isWhole(keep, 1, 600000) then
    error({err = 'ERR the count or the life of the record is out of range'})
  end
  if redis.call('GET', call) then
    return {1}
  end
  if amount(latch) ~= nil then
    return {0}
  end
  redis.call('SET', latch, string.format('%.0f', wanted))
  redis.call('SET', call, '1', 'PX', keep)
  publishMessage(publish, channel, '1')
  return {1}
end

local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 2 do
  local base = (i - 1) * 3 + 1
  local latch = KEYS[(i - 1) * 2 + 1]
  local call = KEYS[(i - 1) * 2 + 2]
  local wanted = tonumber(ARGV[base + 1])
  local keep = tonumber(ARGV[base + 2])
  local channel = ARGV[base + 3]
  local ran, reply = pcall(attempt, publish, latch, call, wanted, keep, channel)
  replies[i] = ran and reply or failure(reply, latch)
end
return replies
