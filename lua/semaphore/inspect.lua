-- Reads a semaphore. Writes nothing.
--
-- @include isWhole failure amount
-- @batch
-- @key   lock   the semaphore: available permits
-- @reply state  {1, permits available, ttl in ms (-1: none, -2: there is no semaphore)}
-- @reply error  {-1, message with its code in front, type of the key}
-- @repeat safe: it only reads
local function attempt(lock)
  return {1, amount(lock) or 0, redis.call('PTTL', lock)}
end

local replies = {}
for i = 1, #KEYS do
  local lock = KEYS[i]
  local ran, reply = pcall(attempt, lock)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
