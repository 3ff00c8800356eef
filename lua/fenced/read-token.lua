-- Reads the last fencing token that a lock gave. Writes nothing.
--
-- @include failure
-- @batch
-- @key   counter  the last token that was given, decimal text
-- @reply given    {1, token as text, or '' where none was given yet}
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: it only reads
local function attempt(counter)
  return {1, redis.call('GET', counter) or ''}
end

local replies = {}
for i = 1, #KEYS do
  local counter = KEYS[i]
  local ran, reply = pcall(attempt, counter)
  replies[i] = ran and reply or failure(reply, counter)
end
return replies
