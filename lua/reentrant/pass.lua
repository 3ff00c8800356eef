-- Notifies the process whose turn it is of a free lock: for a listener that has received a release, for a process that released the lock
-- and has not seen it held since, and for one that gives up its place, or does not listen for the others any more.
--
-- @include isWhole failure publishMessage clientOf readQueue firstPlace dropPlace callPlace callFirst callNext mendListeners passFree
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @key   lock     the lock's hash
-- @key   waiting  the queue of processes, a sorted set: tickets by holder id, above 0; listeners below
-- @arg   absent   the place that was notified, and has not come; empty for none
-- @arg   leaving  what is given up: a place, or a listener (listener:<client uuid>); empty for none
-- @arg   yields   1 where others that listen to the lock's channel come first; else 0
-- @arg   lease    a short lease in ms that the place gets at once, for the others are as fast as its own call; 0: it takes the lock itself
-- @arg   channel  the lock's channel; that of a process is this, a colon, its client uuid
-- @reply held     {0, ttl in ms (-1: none), one holder, places (2: or more), the holder if it still has its place: it was given the lock, and has
--                 not come for it; else empty}
-- @reply called   {1, the place that was notified, and has the lock if there are others and a lease was named}
-- @reply none     {2} no process has a place
-- @reply theirs   {3} others come first
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: it notifies the same process again, or finds that it was given the lock; what is given up never comes back
local function attempt(queue, absent, leaving, yields, lease)
  if not isWhole(lease, 0, 60000) then
    error({err = 'ERR the lease is out of range'})
  end
  local current = redis.call('HRANDFIELD', queue.lock)
  if leaving ~= '' then
    redis.call('ZREM', queue.waiting, leaving)
  end
  -- A holder that leaves may have got the lock this way, and no caller waits for it any more. One that is absent and has its place yet was
  -- given the lock below, and has not come for it.
  local isBack = current and (current == leaving or (current == absent and redis.call('ZSCORE', queue.waiting, absent)))
  if isBack then
    redis.call('DEL', queue.lock)
    current = false
  end
  if current then
    local listeners, first, _, second = readQueue(queue.waiting)
    mendListeners(queue, listeners, first)
    local called = (current == first or current == second) and current
    return {0, redis.call('PTTL', queue.lock), current, (first and 1 or 0) + (second and 1 or 0), called or ''}
  end
  return passFree(queue, absent, yields, lease, isBack, '0')
end

local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 2 do
  local lock = KEYS[(i - 1) * 2 + 1]
  local waiting = KEYS[(i - 1) * 2 + 2]
  local base = (i - 1) * 5 + 1
  local absent = ARGV[base + 1]
  local leaving = ARGV[base + 2]
  local yields = ARGV[base + 3] == '1'
  local lease = tonumber(ARGV[base + 4])
  local channel = ARGV[base + 5]
  local queue = {lock = lock, waiting = waiting, publish = publish, channel = channel}
  local ran, reply = pcall(attempt, queue, absent, leaving, yields, lease)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
