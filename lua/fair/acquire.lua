-- Takes a free lock whose turn it is, raises the count of a holder that has it, or keeps a place in the queue. Wire format section 6.
-- Beyond its tables: a waiter that asks near its time gets its whole wait again, and so does everyone behind (D21); one with a
-- time and no place, or the other way round, goes to the end (D5); a waiter that became the head because others left is notified (D2).
--
-- @include isWhole take publishMessage publishToHead openQueue nearEnd moveTimes dropWaiter declaredWait declareWait pruneQueue dequeueHead markAlive failure
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @shared life    how long from now on the process of a waiter counts as alive, in ms, up to 1 minute
-- @shared margin  how long before its time a waiter shows that it lives, in ms, up to 1 hour; 0: it never does
-- @key   lock     the lock's hash, as in section 2
-- @key   queue    the waiting holders, a list, the next one first
-- @key   timeout  when each of them gives up, a sorted set: epoch ms, its own wait after the one in front
-- @key   waits    what our waiters have declared, a hash: ms by holder; below 0 for one that was asked whether it lives; where a release may make it the holder also the lease
-- @key   alive    until when our processes count as alive, a sorted set: epoch ms by client uuid
-- @arg   holder   the holder id, <client uuid>:<integer>
-- @arg   lease    the lease in ms, 1 to 10 years
-- @arg   count    the hold count to reach; 1 takes a free lock
-- @arg   wait     how long the holder is ready to wait, in ms, up to 1 hour, the same at every attempt; 0 does not queue
-- @arg   given    the lease in ms with which a release may make the waiter the holder at once, up to 1 minute; 0: it comes for it
-- @arg   channel  the lock's channel; that of a waiter is this, a colon, its holder id
-- @reply granted  {1, hold count}
-- @reply busy     {0, ms until asking again can help by itself (-1: unknown), who is in the way: a holder, or else the head}
-- @reply lost     {2} the count to reach is above 1 and the holder has nothing
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: a holder that was granted is granted the same again, and one in the queue keeps its place

-- A waiter that asks lives: its time does not end now.
local function show(fair, holder, declared, given)
  local near = nearEnd(fair, declared)
  local time = tonumber(redis.call('ZSCORE', fair.timeout, holder))
  if time and near > 0 and time - fair.now <= near then
    moveTimes(fair, holder, true, fair.now + declared - time)
  end
  declareWait(fair, holder, declared, given)
end

-- Makes sure that a waiter stands in the queue, and answers for how long it may sleep: a head until the lock runs out; anybody
-- else is notified when its turn comes. Both ask near their time.
local function stand(fair, holder, wait, declared, life, given)
  local time = tonumber(redis.call('ZSCORE', fair.timeout, holder))
  local place = redis.call('LPOS', fair.queue, holder)
  if place and not time then
    redis.call('LREM', fair.queue, 0, holder)
  end
  local isPlaced = place and time
  if not isPlaced then
    local last = redis.call('LINDEX', fair.queue, -1)
    local lastTime = last and tonumber(redis.call('ZSCORE', fair.timeout, last))
    time = fair.now + math.max(lastTime and lastTime - fair.now or redis.call('PTTL', fair.lock), 0) + wait
    redis.call('ZADD', fair.timeout, time, holder)
    redis.call('RPUSH', fair.queue, holder)
  end
  if not (isPlaced and declared) then
    declared = wait
    declareWait(fair, holder, declared, given)
    markAlive(fair, holder, life)
  end
  local near = nearEnd(fair, declared)
  local left = math.max(math.min(time - fair.now - near, 315360000000), 1)
  return redis.call('LINDEX', fair.queue, 0) == holder and math.min(redis.call('PTTL', fair.lock), left) or left
end

local function attempt(fair, holder, lease, count, wait, life, given)
  if not isWhole(lease, 1, 315360000000) or not isWhole(count, 1, 2147483647) then
    error({err = 'ERR the lease or the hold count is out of range'})
  end
  if not isWhole(wait, 0, 3600000) or not isWhole(life, 1, 60000) then
    error({err = 'ERR a waiting time is out of range'})
  end
  if not isWhole(given, 0, 60000) then
    error({err = 'ERR the lease of a grant by release is out of range'})
  end
  openQueue(fair)
  local declared = declaredWait(fair, holder)
  if declared then
    declared = math.abs(declared)
    show(fair, holder, declared, given)
  end
  if wait > 0 and redis.call('EXISTS', fair.waits) == 1 then
    -- Its process lives as well, and with it the other waiters there. A call that does not wait says nothing of them.
    markAlive(fair, holder, life)
  end
  local mustNotify = pruneQueue(fair)
  local head = redis.call('LINDEX', fair.queue, 0)
  local inTheWay = redis.call('HRANDFIELD', fair.lock) or head
  local reply
  if count > 1 or redis.call('HEXISTS', fair.lock, holder) == 1 then
    reply = take(fair.lock, holder, lease, count)
  elseif redis.call('EXISTS', fair.lock) == 0 and (not head or head == holder) then
    if head then
      mustNotify = dequeueHead(fair, holder, declared or wait, lease)
    end
    reply = take(fair.lock, holder, lease, count)
  elseif wait > 0 then
    reply = {0, stand(fair, holder, wait, declared, life, given), inTheWay}
  else
    local ttl = redis.call('PTTL', fair.lock)
    reply = {0, ttl == -2 and 0 or ttl, inTheWay}
  end
  if mustNotify and redis.call('LINDEX', fair.queue, 0) ~= holder then
    publishToHead(fair)
  end
  return reply == 1 and {1, count} or reply
end

local replies = {}
local publish = ARGV[1]
local life = tonumber(ARGV[2])
local margin = tonumber(ARGV[3])
for i = 1, #KEYS / 5 do
  local first = (i - 1) * 5
  local lock = KEYS[first + 1]
  local queue = KEYS[first + 2]
  local timeout = KEYS[first + 3]
  local waits = KEYS[first + 4]
  local alive = KEYS[first + 5]
  local base = (i - 1) * 6 + 3
  local holder = ARGV[base + 1]
  local lease = tonumber(ARGV[base + 2])
  local count = tonumber(ARGV[base + 3])
  local wait = tonumber(ARGV[base + 4])
  local given = tonumber(ARGV[base + 5])
  local channel = ARGV[base + 6]
  local fair = {lock = lock, queue = queue, timeout = timeout, waits = waits, alive = alive, publish = publish, margin = margin}
  fair.channel = channel
  local ran, reply = pcall(attempt, fair, holder, lease, count, wait, life, given)
  replies[i] = ran and reply or failure(reply, fair.wrong or lock)
end
return replies
