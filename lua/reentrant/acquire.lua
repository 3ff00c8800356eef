-- Takes a free lock, or raises the count of a holder that has it already.
-- Wire format section 2, with D28 avoided: a re-entry never shortens the lease.
--
-- @include isWhole take hasQueue firstPlace takeUnlessQueued failure oneForAll
-- @batch
-- @shared lease   the lease in ms, 1 to 10 years
-- @shared count   the hold count to reach; 1 takes a free lock
-- @shared waits   1 for a caller that is ready to wait, which takes no free lock before the processes that have a place; else 0
-- @key   lock     the lock's hash: one field, the holder, whose value is the hold count
-- @key   waiting  the queue of processes, a sorted set: tickets by holder id, above 0; listeners below; the lock again where there is no queue
-- @arg   holder   the holder id, <client uuid>:<integer>
-- @reply granted  1, or {1, hold count} when the holder had more; 1 alone, in no array, answers all of a call
-- @reply busy     {0, ttl in ms (-1: none), one holder}
-- @reply lost     {2} the count to reach is above 1 and the holder has nothing
-- @reply queued   {3, the first place} the lock is free, and other processes come first
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: the call names the count to reach, so a second run finds it reached and gives the lease afresh

-- A free lock, for a caller that asks alone: what nearly every call comes to. Whatever else there is takes the whole way below,
-- an error of the first write with it, which has changed nothing. A lease of more than eleven digits is one of those that need a look.
if #KEYS == 2 then
  local lease = ARGV[1]
  local count = ARGV[2]
  local lock = KEYS[1]
  local waiting = KEYS[2]
  local holder = ARGV[4]
  if count == '1' and #lease < 12 and string.find(lease, '^[1-9]%d*$') and redis.pcall('EXISTS', lock, waiting) == 0
      and redis.pcall('HSET', lock, holder, '1') == 1 then
    redis.call('PEXPIRE', lock, lease)
    return 1
  end
end
-- @parts

local replies = {}
local lease = tonumber(ARGV[1])
local count = tonumber(ARGV[2])
local waits = ARGV[3] == '1'
local isFirst = count == 1 and isWhole(lease, 1, 315360000000)
for i = 1, #KEYS / 2 do
  local lock = KEYS[(i - 1) * 2 + 1]
  local waiting = KEYS[(i - 1) * 2 + 2]
  local base = i + 2
  local holder = ARGV[base + 1]
  -- Most locks of a call are free, and have no queue.
  if isFirst and redis.pcall('EXISTS', lock, waiting) == 0 and redis.pcall('HSET', lock, holder, '1') == 1 then
    redis.call('PEXPIRE', lock, lease)
    replies[i] = 1
  else
    local ran, reply = pcall(takeUnlessQueued, {lock = lock, waiting = waiting}, holder, lease, count, waits)
    replies[i] = ran and reply or failure(reply, lock)
  end
end
return oneForAll(replies)
