-- Takes a free lock, or raises the count of a holder that has it already, and gives a new fencing token either way.
-- Wire format section 8, with D10 avoided: busy and granted are rows of their own, whatever the ttl.
--
-- @include isWhole take tokenRaiser failure
-- @batch
-- @key   lock     the lock's hash: one field, the holder, whose value is the hold count
-- @key   counter  the last token that was given, decimal text; never with a ttl (D12)
-- @arg   holder   the holder id, <client uuid>:<integer>
-- @arg   lease    the lease in ms, 1 to 10 years
-- @arg   count    the hold count to reach; 1 takes a free lock
-- @reply granted  {1, hold count, token as text}
-- @reply busy     {0, ttl in ms (-1: none), one holder}
-- @reply lost     {2} the count to reach is above 1 and the holder has nothing
-- @reply error    {-1, message with its code in front, type of the key} also for a counter that is none
-- @repeat safe: the call names the count to reach; a second run finds it reached, and gives lease and token afresh
local function attempt(lock, counter, holder, lease, count)
  local raise = tokenRaiser(counter)
  local reply = take(lock, holder, lease, count)
  if reply == 1 then
    return {1, count, raise()}
  end
  if reply[1] == 1 then
    reply[3] = raise()
  end
  return reply
end

local replies = {}
for i = 1, #KEYS / 2 do
  local base = (i - 1) * 3
  local lock = KEYS[i * 2 - 1]
  local counter = KEYS[i * 2]
  local holder = ARGV[base + 1]
  local lease = tonumber(ARGV[base + 2])
  local count = tonumber(ARGV[base + 3])
  local ran, reply = pcall(attempt, lock, counter, holder, lease, count)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
