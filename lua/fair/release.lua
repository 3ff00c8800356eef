-- Lowers a holder's count, or frees the lock and takes the holder out of the queue. Wire format section 6, unlock and leave.
-- Beyond its tables: the head is notified wherever it may have become possible for it to take the lock, or it became the head by
-- this call (D2), or sleeps for a lease that became shorter. Holder ids are never used twice, so no unlock latch is needed.
--
-- @include isWhole take publishMessage publishToHead openQueue nearEnd moveTimes dropWaiter declaredWait declareWait leaveQueue pruneQueue
-- @include dequeueHead grantHead setLease failure
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @shared margin  how long before its time a waiter shows that it lives, in ms, up to 1 hour; 0: it never does
-- @shared nextLease the lease in ms with which a head of the same client is made the holder, up to 10 years; 0: like any other head
-- @key   lock     the lock's hash, as in section 2
-- @key   queue    the waiting holders, a list, the next one first
-- @key   timeout  when each of them gives up, a sorted set: epoch ms, its own wait after the one in front
-- @key   waits    what our waiters have declared, a hash: ms by holder; below 0 for one that was asked whether it lives; where a release may make it the holder also the lease
-- @key   alive    until when our processes count as alive, a sorted set: epoch ms by client uuid
-- @arg   holder   the holder id
-- @arg   count    the hold count to leave behind; 0 frees the lock, and the holder's place in the queue
-- @arg   lease    the lease in ms to restore when a count stays, 1 to 10 years; not looked at otherwise
-- @arg   channel  the lock's channel; that of a waiter is this, a colon, its holder id
-- @reply released {1, clients that PUBLISH reached (0: no waiter, -1: publishing was refused)}; the head may be the holder now
-- @reply handoff  {1, 0, the head} which is of the same client, and the holder now; no message was published
-- @reply kept     {2, hold count}
-- @reply gone     {0} the holder did not have the lock; it does not wait any more either, unless a count was to stay
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: it only lowers the holder's own count, and only the call that frees the lock gives it to the head, once
local function attempt(fair, holder, count, lease)
  local areInRange = isWhole(fair.nextLease, 0, 315360000000) and (count == 0 or isWhole(lease, 1, 315360000000))
  if not isWhole(count, 0, 2147483647) or not areInRange then
    error({err = 'ERR the hold count or the lease is out of range'})
  end
  openQueue(fair)
  local held = tonumber(redis.call('HGET', fair.lock, holder))
  local reply = {held and 1 or 0}
  local mustNotify = false
  -- What others left in the queue is looked at last: then no write of it is the first one, and nothing is refused for want of memory.
  if count == 0 then
    if held then
      redis.call('DEL', fair.lock)
    end
    mustNotify = leaveQueue(fair, holder)
  elseif held then
    if held > count then
      -- The head sleeps for the lease that it knows.
      mustNotify = setLease(fair.lock, lease, 0)
      redis.call('HSET', fair.lock, holder, count)
      held = count
    end
    reply = {2, held}
  end
  mustNotify = pruneQueue(fair) or mustNotify
  if mustNotify or redis.call('EXISTS', fair.lock) == 0 then
    local reached, nextHolder
    if reply[1] == 1 then
      reached, nextHolder = grantHead(fair, holder)
    end
    reached = reached or publishToHead(fair)
    if reply[1] == 1 then
      reply = {1, reached, nextHolder}
    end
  end
  return reply
end

local replies = {}
local publish = ARGV[1]
local margin = tonumber(ARGV[2])
local nextLease = tonumber(ARGV[3])
for i = 1, #KEYS / 5 do
  local first = (i - 1) * 5
  local lock = KEYS[first + 1]
  local queue = KEYS[first + 2]
  local timeout = KEYS[first + 3]
  local waits = KEYS[first + 4]
  local alive = KEYS[first + 5]
  local base = (i - 1) * 4 + 3
  local holder = ARGV[base + 1]
  local count = tonumber(ARGV[base + 2])
  local lease = tonumber(ARGV[base + 3])
  local channel = ARGV[base + 4]
  local fair = {lock = lock, queue = queue, timeout = timeout, waits = waits, alive = alive, publish = publish, margin = margin}
  fair.channel = channel
  fair.nextLease = nextLease
  local ran, reply = pcall(attempt, fair, holder, count, lease)
  replies[i] = ran and reply or failure(reply, fair.wrong or lock)
end
return replies
