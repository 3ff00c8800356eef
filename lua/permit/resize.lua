-- Sets how many permits a semaphore has in all, taken ones included. Wire format section 10, set permits.
--
-- @include isWhole failure amount publishMessage publishPermits
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @key   lock     the semaphore: available permits
-- @key   timeout  the permits that are taken: a sorted set of permit ids, 16 bytes each, by the epoch ms at which they expire
-- @arg   total    the permits to have in all, 0 to 2147483647
-- @arg   channel  the semaphore's channel
-- @reply resized  {1}
-- @reply same     {0} there are as many; nothing was changed
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: it names the number to have

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(publish, lock, timeout, total, channel)
  if not isWhole(total, 0, 2147483647) then
    error({err = 'ERR the number of permits is out of range'})
  end
  local available = amount(lock)
  local taken = redis.call('ZCARD', timeout)
  if available == nil then
    redis.call('SET', lock, string.format('%.0f', total))
  elseif available + taken == total then
    return {0}
  else
    redis.call('INCRBY', lock, string.format('%.0f', total - available - taken))
  end
  publishPermits(publish, channel, total)
  return {1}
end

local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 2 do
  local base = (i - 1) * 2
  local lock = KEYS[base + 1]
  local timeout = KEYS[base + 2]
  local total = tonumber(ARGV[base + 2])
  local channel = ARGV[base + 3]
  local ran, reply = pcall(attempt, publish, lock, timeout, total, channel)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
