-- The queue of a fair lock. `fair` has its five keys, the margin and, once it was opened, the time of the store as `now`, in ms.

-- Looks at the five keys of a fair lock before the first write: one of another type is refused by its name, and noted as `wrong`.
-- Notes the store's time as `now`, in ms.
local function openQueue(fair)
  if not isWhole(fair.margin, 0, 3600000) then
    error({err = 'ERR the margin is out of range'})
  end
  local kinds = {lock = 'hash', queue = 'list', timeout = 'zset', waits = 'hash', alive = 'zset'}
  for part, expected in pairs(kinds) do
    local kind = redis.call('TYPE', fair[part]).ok
    if kind ~= 'none' and kind ~= expected then
      fair.wrong = fair[part]
      error({err = 'WRONGTYPE ' .. fair.wrong .. ' is not a ' .. expected})
    end
  end
  local time = redis.call('TIME')
  fair.now = time[1] * 1000 + math.floor(time[2] / 1000)
end

-- What a waiter of ours has declared: its wait in ms, below 0 once it was asked whether it lives; and where a release may make it
-- the holder at once, with which lease in ms. Nothing for a waiter of Java.
local function declaredWait(fair, holder)
  local text = redis.call('HGET', fair.waits, holder)
  if text then
    local wait, lease = string.match(text, '^(%-?%d+):?(%d*)$')
    return tonumber(wait), tonumber(lease)
  end
end

-- Notes what a waiter of ours declares, as `declaredWait` reads it.
local function declareWait(fair, holder, wait, lease)
  local text = string.format('%d', wait)
  if lease and lease > 0 then
    text = string.format('%d:%d', wait, lease)
  end
  redis.call('HSET', fair.waits, holder, text)
end

-- How long before its time a waiter of a fair lock that declared `wait` ms shows that it lives; 0: it need not.
local function nearEnd(fair, wait)
  return math.min(fair.margin, math.floor(math.abs(wait) / 2))
end

-- Marks the process of a client or holder id as alive, until `life` ms from now, and keeps the declared waits for as long as
-- a waiter may stand in the queue.
local function markAlive(fair, id, life)
  local last = redis.call('ZRANGE', fair.timeout, -1, -1, 'WITHSCORES')
  local ends = math.floor(math.min(tonumber(last[2]) or 0, fair.now + 315360000000))
  redis.call('ZADD', fair.alive, fair.now + life, string.match(id, '^[^:]*'))
  redis.call('PEXPIREAT', fair.alive, fair.now + life)
  redis.call('PEXPIREAT', fair.waits, math.max(ends, fair.now + life))
end

-- Adds `ms` to the times of everyone behind a waiter of a fair lock, and with `own` to its own. Whoever stands in the queue
-- twice is moved once, and a waiter without a time gets none.
local function moveTimes(fair, holder, own, ms)
  local moved = {[holder] = not own}
  local reached = false
  for _, waiter in ipairs(redis.call('LRANGE', fair.queue, 0, -1)) do
    reached = reached or waiter == holder
    if reached and not moved[waiter] then
      moved[waiter] = true
      redis.call('ZADD', fair.timeout, 'XX', 'INCR', ms, waiter)
    end
  end
end

-- Takes a waiter out of the queue of a fair lock, wherever it stands, and forgets all about it; the times of the others stay.
-- In this order also a server that is out of memory lets it happen, and what the caller does afterwards: none of it is refused.
local function dropWaiter(fair, holder)
  redis.call('ZREM', fair.timeout, holder)
  redis.call('LREM', fair.queue, 0, holder)
  redis.call('HDEL', fair.waits, holder)
end

-- Takes a waiter out of the queue of a fair lock, and the wait that it declared off the times of everyone behind it (D1).
-- Answers whether it was the head. A wait that is not known any more is its distance from the one in front.
local function leaveQueue(fair, holder)
  local place = redis.call('LPOS', fair.queue, holder)
  local wait = declaredWait(fair, holder)
  if place and place > 0 and not wait then
    local own = tonumber(redis.call('ZSCORE', fair.timeout, holder))
    local front = tonumber(redis.call('ZSCORE', fair.timeout, redis.call('LINDEX', fair.queue, place - 1)))
    wait = own and front and math.max(own - front, 0)
  end
  -- First, because a server that is out of memory refuses the rest as a first write only.
  redis.call('ZREM', fair.timeout, holder)
  if place and wait then
    moveTimes(fair, holder, false, -math.abs(wait))
  end
  dropWaiter(fair, holder)
  return place == 0
end

-- Takes heads that will not come off the queue of a fair lock, and notifies them, in case that they live after all:
-- one without a time (D5); a waiter of ours whose process is silent, with all that it added to the times behind it; one past its time.
-- A waiter of ours near its time is asked once whether it lives, and gets the time to answer: a wait below 0 says that it was asked.
-- Returns whether the head must be notified. Without a queue nothing of it is left.
local function pruneQueue(fair)
  local mustNotify = false
  -- What silent waiters had added to the times behind them. It goes off at once for all of them: a host that dies may leave thousands.
  local off = 0
  local head = redis.call('LINDEX', fair.queue, 0)
  while head do
    local time = tonumber(redis.call('ZSCORE', fair.timeout, head))
    local wait, lease, question = declaredWait(fair, head)
    local alive = wait and tonumber(redis.call('ZSCORE', fair.alive, string.match(head, '^[^:]*'))) or 0
    local near = wait and nearEnd(fair, wait) or 0
    local left = time and time - off - fair.now
    if not time then
      dropWaiter(fair, head)
    elseif wait and alive <= fair.now then
      dropWaiter(fair, head)
      off = off + math.abs(wait)
    elseif wait and wait > 0 and near > 0 and left <= near then
      declareWait(fair, head, -wait, lease, question)
      -- Behind it, too; what dropped ones had added goes off with that.
      moveTimes(fair, head, true, fair.now + near - time)
      return true
    elseif left <= 0 then
      dropWaiter(fair, head)
    else
      break
    end
    publishMessage(fair.publish, fair.channel .. ':' .. head, '0')
    mustNotify = true
    head = redis.call('LINDEX', fair.queue, 0)
  end
  if head and off > 0 then
    moveTimes(fair, head, true, -off)
  end
  if not head and redis.call('EXISTS', fair.timeout, fair.waits, fair.alive) > 0 then
    for _, waiter in ipairs(redis.call('HKEYS', fair.waits)) do
      publishMessage(fair.publish, fair.channel .. ':' .. waiter, '0')
    end
    redis.call('DEL', fair.timeout, fair.waits, fair.alive)
  elseif redis.call('EXISTS', fair.alive) > redis.call('EXISTS', fair.waits) then
    redis.call('DEL', fair.alive)
  end
  return mustNotify
end

-- The head of a fair lock's queue is about to have the lock: it leaves the queue, and its wait goes off all times, which replicas
-- and the AOF get as one command. In chunks: unpack takes no more than about 8000 values (D27).
-- Returns whether the new head must be notified now. A head by a grant is notified of the release; but not of a lease that
-- may run out before a heartbeat finds out, there is one a second, and it may have to show that it lives.
local function dequeueHead(fair, holder, wait, lease)
  dropWaiter(fair, holder)
  local times = redis.call('ZRANGE', fair.timeout, 0, -1, 'WITHSCORES')
  for i = 1, #times, 2 do
    local waiter = times[i]
    times[i] = tonumber(times[i + 1]) - wait
    times[i + 1] = waiter
  end
  for first = 1, #times, 5000 do
    redis.call('ZADD', fair.timeout, unpack(times, first, math.min(first + 4999, #times)))
  end
  return pruneQueue(fair) or lease < 1000
end

-- Notifies the head of a fair lock's queue, so that it asks again. Returns how many clients that reached: 0 without a waiter.
local function publishToHead(fair)
  local head = redis.call('LINDEX', fair.queue, 0)
  return head and publishMessage(fair.publish, fair.channel .. ':' .. head, '0') or 0
end

-- Makes the head of a fair lock's queue the holder of the lock that was freed just now, and notifies it: one round trip less than
-- its coming to take it. Only a head of ours that declared with which lease; it begins when it has renewed that one, so that a
-- message may be late, or lie. Returns the clients that were reached; nil where nothing was granted.
-- Only one that listens to this very server: what PUBLISH answers leaves out the listeners elsewhere, through the bus of a cluster
-- or a replica, and counts patterns, whose listeners take no locks. A user who may not ask for that grants nothing.
-- A head of the same client as `from`, which released it, need not listen: the reply names it. It has the lease `nextLease` where that is
-- not 0, for it begins with no other one. Answers 0 and the head then.
local function grantHead(fair, from)
  local head = redis.call('LINDEX', fair.queue, 0)
  local wait, lease
  if head then
    wait, lease = declaredWait(fair, head)
  end
  if not (wait and wait > 0 and isWhole(lease, 1, 60000)) then
    return nil
  end
  if fair.nextLease > 0 and string.match(head, '^(.*):') == string.match(from, '^(.*):') then
    local mustNotify = dequeueHead(fair, head, wait, fair.nextLease)
    take(fair.lock, head, fair.nextLease, 1)
    if mustNotify then
      publishToHead(fair)
    end
    return 0, head
  end
  local channel = fair.channel .. ':' .. head
  local listeners = redis.pcall('PUBSUB', fair.publish == 'SPUBLISH' and 'SHARDNUMSUB' or 'NUMSUB', channel)
  if listeners.err or listeners[2] < 1 then
    return nil
  end
  local reached = publishMessage(fair.publish, channel, '2')
  if reached < 1 then
    return nil
  end
  local mustNotify = dequeueHead(fair, head, wait, lease)
  take(fair.lock, head, lease, 1)
  if mustNotify then
    publishToHead(fair)
  end
  return reached
end
