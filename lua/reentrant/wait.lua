-- Takes a lock for a process whose turn it is, or gives it a place in the queue of processes. The process has subscribed its channel before.
-- It is its turn where no process has a place before its own.
--
-- @include isWhole take clientOf firstPlace publishMessage failure
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @shared lease   the lease in ms, 1 to 10 years
-- @shared life    how long the queue lasts after the last call of a waiter, in ms, 1 to 10 years
-- @shared soon    a lease that ends before is announced to the listeners, in ms, up to 10 years
-- @key   lock     the lock's hash: one field, the holder, whose value is the hold count
-- @key   waiting  the queue of processes, a sorted set: tickets by holder id, above 0; listeners below
-- @arg   holder   the holder id of the attempt, which is the place
-- @arg   ticket   the ticket that the place had, for one that was dropped meanwhile; 0: a new one, behind all others
-- @arg   listens  1 where the process listens to the lock's channel, and may be a listener; else 0
-- @arg   channel  the lock's channel; that of a process is this, a colon, its client uuid
-- @reply granted  {1, hold count}
-- @reply busy     {0, ttl in ms (-1: none, -2: the lock is free), one holder, ticket (0: the server refused to store a place), 1 where the
--                 process is a listener, 1 where a listener is missing, places (2: or more), the place whose process was notified and has not come yet, where the lock is free or is held for it, else empty}
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: a place is added once, and goes with the grant; the holder's field proves that it was granted

-- Whether no place comes before a process. `own` is its ticket; nil for a new one.
local function isTurn(waiting, holder, own)
  local first = firstPlace(waiting)
  return not first or first == holder or (own ~= nil and own < tonumber(redis.call('ZSCORE', waiting, first)))
end

local function grant(queue, holder, lease)
  local granted = take(queue.lock, holder, lease, 1)
  redis.call('ZREM', queue.waiting, holder)
  if lease < queue.soon then
    for _, listener in ipairs(redis.call('ZRANGEBYSCORE', queue.waiting, -2, -1)) do
      publishMessage(queue.publish, queue.channel .. ':' .. string.sub(listener, 10), 'ends ' .. string.format('%.0f', lease))
    end
  end
  return {1, granted == 1 and 1 or granted[2]}
end

-- Whether the process is a listener from now on, and whether one of the two is missing.
local function listen(queue, client, listens)
  local listeners = redis.call('ZRANGEBYSCORE', queue.waiting, -2, -1)
  local isListener = redis.call('ZSCORE', queue.waiting, 'listener:' .. client)
  if isListener and not listens then
    redis.call('ZREM', queue.waiting, 'listener:' .. client)
    return 0, 1
  end
  if not isListener and listens and #listeners < 2 then
    redis.call('ZADD', queue.waiting, -1, 'listener:' .. client)
    return 1, #listeners == 0 and 1 or 0
  end
  return isListener and 1 or 0, #listeners < 2 and 1 or 0
end

local function attempt(queue, holder, lease, ticket, listens)
  if not isWhole(queue.life, 1, 315360000000) or not isWhole(queue.soon, 0, 315360000000) or not isWhole(ticket, 0, 9007199254740991) then
    error({err = 'ERR a time or a ticket is out of range'})
  end
  local client = clientOf(holder)
  if not client then
    error({err = 'ERR the holder id has no client'})
  end
  local lock = queue.lock
  local waiting = queue.waiting
  local isFree = redis.call('EXISTS', lock) == 0
  local own = tonumber(redis.call('ZSCORE', waiting, holder)) or (ticket > 0 and ticket or nil)
  if (isFree and isTurn(waiting, holder, own)) or (not isFree and redis.call('HEXISTS', lock, holder) == 1) then
    return grant(queue, holder, lease)
  end
  if not own then
    local last = redis.call('ZRANGE', waiting, -1, -1, 'WITHSCORES')
    own = math.max(tonumber(last[2] or 0), 0) + 1
  end
  -- A server that is out of memory refuses it: the caller asks again later.
  local added = redis.pcall('ZADD', waiting, own, holder)
  if type(added) ~= 'number' then
    return {0, redis.call('PTTL', lock), redis.call('HRANDFIELD', lock) or '', 0, 0, 0, 0, ''}
  end
  if redis.call('PTTL', waiting) < queue.life then
    redis.call('PEXPIRE', waiting, queue.life)
  end
  local isListener, isMissing = listen(queue, client, listens)
  local places = #redis.call('ZRANGEBYSCORE', waiting, 1, '+inf', 'LIMIT', 0, 2)
  local ttl = redis.call('PTTL', lock)
  local current = redis.call('HRANDFIELD', lock) or ''
  -- A holder that has its place yet was given the lock by `pass`, and has not come for it.
  local first = isFree and firstPlace(waiting) or (redis.call('ZSCORE', waiting, current) and current)
  return {0, ttl, current, own, isListener, isMissing, places, first or ''}
end

local replies = {}
local publish = ARGV[1]
local lease = tonumber(ARGV[2])
local life = tonumber(ARGV[3])
local soon = tonumber(ARGV[4])
for i = 1, #KEYS / 2 do
  local lock = KEYS[(i - 1) * 2 + 1]
  local waiting = KEYS[(i - 1) * 2 + 2]
  local base = (i - 1) * 4 + 4
  local holder = ARGV[base + 1]
  local ticket = tonumber(ARGV[base + 2])
  local listens = ARGV[base + 3] == '1'
  local channel = ARGV[base + 4]
  local queue = {lock = lock, waiting = waiting, publish = publish, channel = channel, life = life, soon = soon}
  local ran, reply = pcall(attempt, queue, holder, lease, ticket, listens)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
