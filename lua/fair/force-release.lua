-- Frees a lock whichever holder has it, and notifies the head of the queue. Wire format section 6, force unlock: no waiter loses its place.
--
-- @include isWhole publishMessage publishToHead openQueue nearEnd moveTimes dropWaiter declaredWait declareWait pruneQueue failure
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @shared margin  how long before its time a waiter shows that it lives, in ms, up to 1 hour; 0: it never does
-- @key   lock     the lock's hash, as in section 2
-- @key   queue    the waiting holders, a list, the next one first
-- @key   timeout  when each of them gives up, a sorted set: epoch ms, its own wait after the one in front
-- @key   waits    what our waiters have declared, a hash: ms by holder; below 0 for one that was asked whether it lives; where a release may make it the holder also the lease
-- @key   alive    until when our processes count as alive, a sorted set: epoch ms by client uuid
-- @arg   channel  the lock's channel; that of a waiter is this, a colon, its holder id
-- @reply released {1, clients that PUBLISH reached (0: no waiter, -1: publishing was refused)}
-- @reply free     {0} there was nothing to free; the head is notified all the same
-- @reply error    {-1, message with its code in front, type of the key} also for a key that is no lock, which is left alone
-- @repeat unsafe: a second run may free the lock of the next holder
local function attempt(fair)
  openQueue(fair)
  local freed = redis.call('DEL', fair.lock)
  pruneQueue(fair)
  local reached = publishToHead(fair)
  return freed == 1 and {1, reached} or {0}
end

local replies = {}
local publish = ARGV[1]
local margin = tonumber(ARGV[2])
for i = 1, #KEYS / 5 do
  local first = (i - 1) * 5
  local lock = KEYS[first + 1]
  local queue = KEYS[first + 2]
  local timeout = KEYS[first + 3]
  local waits = KEYS[first + 4]
  local alive = KEYS[first + 5]
  local base = i + 1
  local channel = ARGV[base + 1]
  local fair = {lock = lock, queue = queue, timeout = timeout, waits = waits, alive = alive, publish = publish, margin = margin}
  fair.channel = channel
  local ran, reply = pcall(attempt, fair)
  replies[i] = ran and reply or failure(reply, fair.wrong or lock)
end
return replies
