-- Takes the write side of a read/write lock for a process whose turn it is, or gives it a place in the queue of processes. The process has
-- subscribed its channel before. It is its turn where no process has a place before its own. A writer that waits keeps new readers out (D15).
--
-- @include isWhole failure rwMode writeCount holdKey longestHold longestRead raiseLease rwHolder clientOf publishMessage readQueue firstPlace dropPlace lengthenQueue listListener checkWait isTurnOf takePlace announceLease keepReadersOut
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @shared lease   the lease in ms, 1 to 10 years
-- @shared life    how long the queue lasts after the last call of a waiter, in ms, 1 to 10 years
-- @shared soon    a lease that ends before is announced to the listeners, in ms, up to 10 years
-- @key   lock     the lock's hash: mode (read or write), <holder> -> read holds, <holder>:write -> write holds
-- @key   intent   the writer that waits: its holder id
-- @key   waiting  the queue of processes that wait to write, a sorted set: tickets by holder id, above 0; listeners below
-- @derived <lock>:<holder>:rwlock_timeout:<n>  one string per read hold, with its lease; the lock in braces, unless it has one
-- @arg   holder   the holder id of the attempt, which is the place
-- @arg   ticket   the ticket that the place had, for one that was dropped meanwhile; 0: a new one, behind all others
-- @arg   listens  1 where the process listens to the lock's channel, and may be a listener; else 0
-- @arg   channel  the lock's channel; that of a process is this, a colon, its client uuid
-- @reply granted  {1, write holds, 1 where the process is a listener}
-- @reply busy     {0, ttl in ms (-1: none, -2: the lock is free), the writer or one reader, ticket (0: the server refused to store a place), 1 where
--                 the process is a listener, 1 where a listener is missing, places (2: or more), the place whose process was notified and has
--                 not come yet, where the lock is free or is held for it, else empty}
-- @reply error    {-1, message with its code in front, type of the key} also for a hash that is another kind of lock
-- @repeat safe: a place is added once, and goes with the grant; the holder's field proves that it was granted

-- Grants the write side to the process of a place, which ends. A process that has come for a lock that it was given gets just the lease that it
-- asks for.
local function grantWriter(queue, holder, lease, held)
  local lock = queue.lock
  if held == 0 then
    redis.call('HSET', lock, 'mode', 'write', holder .. ':write', 1)
  end
  local wasGiven = redis.call('ZREM', queue.waiting, holder) == 1
  if held == 0 or wasGiven then
    redis.call('PEXPIRE', lock, lease)
  else
    raiseLease(lock, lease)
  end
  redis.pcall('DEL', queue.intent)
end

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(queue, holder, lease, ticket, listens)
  local lock = queue.lock
  local client = checkWait(queue, holder, lease, ticket)
  local mode, writer = rwMode(lock)
  local held = writeCount(lock, holder, writer)
  local listeners, first, lowest, second = readQueue(queue.waiting)
  if held > 0 or (not mode and isTurnOf(holder, ticket, first, lowest)) then
    grantWriter(queue, holder, lease, held)
    announceLease(queue, listeners, lease)
    return {1, math.max(held, 1), (listListener(queue, listeners, client, listens))}
  end
  local own, isListener, isMissing, places = takePlace(queue, holder, ticket, listens, listeners, first, second)
  if mode == 'read' and own > 0 then
    keepReadersOut(queue)
  end
  -- A writer that still has its place was given the lock by a release or `pass`, and has not come for it.
  local called = own > 0 and ((not mode and first) or ((writer == first or writer == second) and writer))
  return {0, redis.call('PTTL', lock), mode and rwHolder(lock, writer) or '', own, isListener, isMissing, places, called or ''}
end

local replies = {}
local publish = ARGV[1]
local lease = tonumber(ARGV[2])
local life = tonumber(ARGV[3])
local soon = tonumber(ARGV[4])
for i = 1, #KEYS / 3 do
  local lock = KEYS[(i - 1) * 3 + 1]
  local intent = KEYS[(i - 1) * 3 + 2]
  local waiting = KEYS[(i - 1) * 3 + 3]
  local base = (i - 1) * 4 + 4
  local holder = ARGV[base + 1]
  local ticket = tonumber(ARGV[base + 2])
  local listens = ARGV[base + 3] == '1'
  local channel = ARGV[base + 4]
  local queue = {lock = lock, intent = intent, waiting = waiting, publish = publish, channel = channel, life = life, soon = soon}
  local ran, reply = pcall(attempt, queue, holder, lease, ticket, listens)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
