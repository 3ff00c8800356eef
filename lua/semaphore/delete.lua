-- Deletes a semaphore, with what is known of its permits.
--
-- @include isWhole failure amount
-- @batch
-- @key   lock     the semaphore: available permits
-- @key   timeout  the permits that are taken, for a semaphore whose permits expire; otherwise there is no such key
-- @key   given    the places that were given permits, and whose processes have not come; the semaphore again where permits expire
-- @reply deleted  {1}
-- @reply none     {0} there was nothing to delete
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: what is gone stays gone, but the second run says that there was nothing

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(lock, timeout, given)
  -- What is no semaphore is refused.
  amount(lock)
  redis.call('ZCARD', timeout)
  if given ~= lock then
    redis.call('DEL', given)
  end
  return {redis.call('DEL', lock, timeout) > 0 and 1 or 0}
end

local replies = {}
for i = 1, #KEYS / 3 do
  local base = (i - 1) * 3
  local lock = KEYS[base + 1]
  local timeout = KEYS[base + 2]
  local given = KEYS[base + 3]
  local ran, reply = pcall(attempt, lock, timeout, given)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
