-- Hands a lock from one holder of this process to its next one in a single step, with a new fencing token, and without a message
-- where the lease becomes no shorter: for other clients the lock was held throughout, by a new holder at the end.
--
-- @include isWhole publishMessage publishShorterLease setLease transferHold tokenRaiser failure
-- @batch
-- @shared publish    PUBLISH, or SPUBLISH where the deployment shards its channels
-- @key   lock        the lock's hash
-- @key   counter     the last token that was given, decimal text
-- @arg   from        the holder id that gives up all its holds
-- @arg   to          the holder id that takes the lock, with count 1
-- @arg   lease       the lease in ms of the new holder, 1 to 10 years
-- @arg   channel     the lock's channel
-- @reply transferred {1, token as text} also when a repeated call finds it done
-- @reply granted     {2, token as text} the former holder had lost the lock, it was free, the new holder has it
-- @reply busy        {0, ttl in ms (-1: none), one holder} the former holder had lost the lock, and another holder has it
-- @reply error       {-1, message with its code in front, type of the key} also for a counter that is none
-- @repeat safe: holder ids are never used twice, so the new holder's field proves that it was done; lease and token are given afresh
local function attempt(publish, lock, counter, from, to, lease, channel)
  local raise = tokenRaiser(counter)
  local reply = transferHold(lock, from, to, lease, publish, channel)
  if reply == 1 then
    return {1, raise()}
  end
  if reply[1] ~= 0 then
    reply[2] = raise()
  end
  return reply
end

local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 2 do
  local base = (i - 1) * 4 + 1
  local lock = KEYS[i * 2 - 1]
  local counter = KEYS[i * 2]
  local from = ARGV[base + 1]
  local to = ARGV[base + 2]
  local lease = tonumber(ARGV[base + 3])
  local channel = ARGV[base + 4]
  local ran, reply = pcall(attempt, publish, lock, counter, from, to, lease, channel)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
