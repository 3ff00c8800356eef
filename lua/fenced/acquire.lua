-- Takes a free lock, or raises the count of a holder that has it already, and gives a new fencing token either way.
-- Wire format section 8, with D10 avoided: busy and granted are rows of their own, whatever the ttl.
--
-- @include isWhole take tokenRaiser hasQueue firstPlace takeUnlessQueued failure
-- @batch
-- @key   lock     the lock's hash: one field, the holder, whose value is the hold count
-- @key   counter  the last token that was given, decimal text; never with a ttl (D12)
-- @key   waiting  the queue of processes, a sorted set: tickets by holder id, above 0; listeners below; the lock again where there is no queue
-- @arg   holder   the holder id, <client uuid>:<integer>
-- @arg   lease    the lease in ms, 1 to 10 years
-- @arg   count    the hold count to reach; 1 takes a free lock
-- @arg   waits    1 for a caller that is ready to wait, which takes no free lock before the processes that have a place; else 0
-- @reply granted  {1, hold count, token as text}
-- @reply busy     {0, ttl in ms (-1: none), one holder}
-- @reply lost     {2} the count to reach is above 1 and the holder has nothing
-- @reply queued   {3, the first place} the lock is free, and other processes come first
-- @reply error    {-1, message with its code in front, type of the key} also for a counter that is none
-- @repeat safe: the call names the count to reach; a second run finds it reached, and gives lease and token afresh
local function attempt(queue, holder, lease, count, waits)
  local raise = tokenRaiser(queue.counter)
  local reply = takeUnlessQueued(queue, holder, lease, count, waits)
  if reply == 1 then
    return {1, count, raise()}
  end
  if reply[1] == 1 then
    reply[3] = raise()
  end
  return reply
end

local replies = {}
for i = 1, #KEYS / 3 do
  local base = (i - 1) * 4
  local lock = KEYS[(i - 1) * 3 + 1]
  local counter = KEYS[(i - 1) * 3 + 2]
  local waiting = KEYS[(i - 1) * 3 + 3]
  local holder = ARGV[base + 1]
  local lease = tonumber(ARGV[base + 2])
  local count = tonumber(ARGV[base + 3])
  local waits = ARGV[base + 4] == '1'
  local ran, reply = pcall(attempt, {lock = lock, counter = counter, waiting = waiting}, holder, lease, count, waits)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
