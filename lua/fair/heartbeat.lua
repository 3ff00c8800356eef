-- A sign of life of a process that has waiters in the queue of a fair lock. It takes heads that will not come out of the way,
-- and notifies the present head where the lock is free, if nothing else has: the lock ran out, or the message went to a dead one.
-- Waiters of ours that a Java process took out of the queue, which does not notify them, are notified to come again (D21).
-- Waiters of this client that have left are taken out, in case a failover has lost that they did: nobody else would, while their
-- process lives. As ids are never used twice, what a call says of them is true for ever, and it may come late, or twice.
--
-- @include isWhole publishMessage publishToHead openQueue nearEnd moveTimes dropWaiter declaredWait declareWait pruneQueue markAlive failure
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @shared life    how long from now on the process counts as alive, in ms, up to 1 minute
-- @shared margin  how long before its time a waiter shows that it lives, in ms, up to 1 hour; 0: it never does
-- @key   lock     the lock's hash, as in section 2
-- @key   queue    the waiting holders, a list, the next one first
-- @key   timeout  when each of them gives up, a sorted set: epoch ms, its own wait after the one in front
-- @key   waits    what our waiters have declared, a hash: ms by holder; below 0 for one that was asked whether it lives; where a release may make it the holder also the lease
-- @key   alive    until when our processes count as alive, a sorted set: epoch ms by client uuid
-- @arg   client   the client uuid, which the holder ids of its waiters begin with
-- @arg   last     the integer of its newest holder id: nothing is known here of a newer one
-- @arg   live     the integers of its holder ids that wait or hold, a list in JSON
-- @arg   channel  the lock's channel; that of a waiter is this, a colon, its holder id
-- @reply done     {1, ms until a heartbeat may find something to do (-1: no waiter), length of the queue, and the holder if it is
--                 of this process: one that was given the lock may have missed the message}
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: a second run says the same again

-- Out of step with a head that sleeps until the lock runs out: it has asked by then.
local LATER = 10

-- Returns whether a waiter of this client was taken out; its wait goes off the times of everyone behind, as where one leaves. In one
-- pass, for a failover may have lost that hundreds left. A waiter that stands in the queue twice is counted, and moved, once.
local function recall(fair, client, last, live)
  local lives, stands, left, off = {}, {}, {}, 0
  for _, number in ipairs(live) do
    lives[number] = true
  end
  for _, waiter in ipairs(redis.call('LRANGE', fair.queue, 0, -1)) do
    local process, number = string.match(waiter, '^([^:]*):(%d+)$')
    number = tonumber(number)
    if process == client and number <= last and not lives[number] then
      off = off + (left[waiter] and 0 or math.abs(declaredWait(fair, waiter) or 0))
      left[waiter] = true
    else
      local moved = stands[waiter] or 0
      if off > moved then
        redis.call('ZADD', fair.timeout, 'XX', 'INCR', moved - off, waiter)
      end
      stands[waiter] = off
    end
  end
  for _, waiter in ipairs(redis.call('HKEYS', fair.waits)) do
    if not stands[waiter] then
      dropWaiter(fair, waiter)
      publishMessage(fair.publish, fair.channel .. ':' .. waiter, '0')
    end
  end
  return off > 0
end

-- How long the head stays the head if nothing happens, or the lock is locked.
local function untilNext(fair)
  local head = redis.call('LINDEX', fair.queue, 0)
  if not head then
    return -1
  end
  local left = tonumber(redis.call('ZSCORE', fair.timeout, head)) - fair.now
  local wait = declaredWait(fair, head)
  if wait then
    local silent = tonumber(redis.call('ZSCORE', fair.alive, string.match(head, '^[^:]*'))) - fair.now
    left = math.min(left - (wait > 0 and nearEnd(fair, wait) or 0), silent)
  end
  local ttl = redis.call('PTTL', fair.lock)
  if ttl >= 0 then
    left = math.min(left, ttl + LATER)
  end
  return math.max(math.min(left, 315360000000), 1)
end

local function attempt(fair, client, last, live, life)
  local ran, numbers = pcall(cjson.decode, live)
  local areIds = isWhole(last, 0, 9007199254740991) and ran and type(numbers) == 'table'
  if not isWhole(life, 1, 60000) or not areIds then
    error({err = 'ERR a waiting time or a holder id is out of range'})
  end
  openQueue(fair)
  -- First, because a server that is out of memory refuses what follows as a first write only.
  redis.call('ZREMRANGEBYSCORE', fair.alive, '-inf', fair.now)
  local mustNotify = recall(fair, client, last, numbers)
  if redis.call('EXISTS', fair.waits) == 1 then
    markAlive(fair, client, life)
  end
  mustNotify = pruneQueue(fair) or mustNotify
  if mustNotify or redis.call('EXISTS', fair.lock) == 0 then
    publishToHead(fair)
  end
  local reply = {1, untilNext(fair), redis.call('LLEN', fair.queue)}
  local holder = redis.call('HRANDFIELD', fair.lock)
  if holder and string.match(holder, '^[^:]*') == client then
    reply[4] = holder
  end
  return reply
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
  local base = (i - 1) * 4 + 3
  local client = ARGV[base + 1]
  local last = tonumber(ARGV[base + 2])
  local live = ARGV[base + 3]
  local channel = ARGV[base + 4]
  local fair = {lock = lock, queue = queue, timeout = timeout, waits = waits, alive = alive, publish = publish, margin = margin}
  fair.channel = channel
  local ran, reply = pcall(attempt, fair, client, last, live, life)
  replies[i] = ran and reply or failure(reply, fair.wrong or lock)
end
return replies
