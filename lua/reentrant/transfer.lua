-- Hands a lock from one holder of this process to its next one in a single step, without a message where the lease becomes no shorter:
-- for other clients the lock was held throughout, by a new holder at the end.
--
-- @include isWhole publishMessage publishShorterLease setLease transferHold failure oneForAll
-- @batch
-- @shared publish    PUBLISH, or SPUBLISH where the deployment shards its channels
-- @key   lock        the lock's hash
-- @arg   from        the holder id that gives up all its holds
-- @arg   to          the holder id that takes the lock, with count 1
-- @arg   lease       the lease in ms of the new holder, 1 to 10 years
-- @arg   channel     the lock's channel
-- @reply transferred 1, also when a repeated call finds it done; 1 alone, in no array, answers all of a call
-- @reply granted     {2} the former holder had lost the lock, it was free, the new holder has it
-- @reply busy        {0, ttl in ms (-1: none), one holder} the former holder had lost the lock, and another holder has it
-- @reply error       {-1, message with its code in front, type of the key}
-- @repeat safe: holder ids are never used twice, so the new holder's field proves that it was done; its lease is given afresh
local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS do
  local base = (i - 1) * 4 + 1
  local lock = KEYS[i]
  local from = ARGV[base + 1]
  local to = ARGV[base + 2]
  local lease = tonumber(ARGV[base + 3])
  local channel = ARGV[base + 4]
  local ran, reply = pcall(transferHold, lock, from, to, lease, publish, channel)
  replies[i] = ran and reply or failure(reply, lock)
end
return oneForAll(replies)
