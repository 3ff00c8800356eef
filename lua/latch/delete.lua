-- Opens a latch whatever its count, and notifies all waiters, as at the end of a count. Java publishes '1', and its waiters stay (wire format section 10).
--
-- @include isWhole failure amount publishMessage
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @key   latch    the latch: what is still to be counted down
-- @arg   channel  the latch's channel
-- @reply deleted  {1}
-- @reply open     {0} there was nothing to delete
-- @reply error    {-1, message with its code in front, type of the key} also for a key that is no latch, which is left alone
-- @repeat safe: what is gone stays gone, but the second run says that there was nothing

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(publish, latch, channel)
  if amount(latch) == nil then
    return {0}
  end
  redis.call('DEL', latch)
  publishMessage(publish, channel, '0')
  return {1}
end

local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS do
  local base = i
  local latch = KEYS[i]
  local channel = ARGV[base + 1]
  local ran, reply = pcall(attempt, publish, latch, channel)
  replies[i] = ran and reply or failure(reply, latch)
end
return replies
