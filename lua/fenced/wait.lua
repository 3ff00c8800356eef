-- Takes a lock with a new fencing token for a process whose turn it is, or gives it a place in the queue of processes. The process has
-- subscribed its channel before.
-- It is its turn where no process has a place before its own.
--
-- @include isWhole take tokenRaiser clientOf publishMessage readQueue lengthenQueue listListener checkWait isTurnOf takePlace announceLease grantPlace waitForTurn failure
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @shared lease   the lease in ms, 1 to 10 years
-- @shared life    how long the queue lasts after the last call of a waiter, in ms, 1 to 10 years
-- @shared soon    a lease that ends before is announced to the listeners, in ms, up to 10 years
-- @key   lock     the lock's hash: one field, the holder, whose value is the hold count
-- @key   counter  the last token that was given, decimal text; never with a ttl (D12)
-- @key   waiting  the queue of processes, a sorted set: tickets by holder id, above 0; listeners below
-- @arg   holder   the holder id of the attempt, which is the place
-- @arg   ticket   the ticket that the place had, for one that was dropped meanwhile; 0: a new one, behind all others
-- @arg   listens  1 where the process listens to the lock's channel, and may be a listener; else 0
-- @arg   channel  the lock's channel; that of a process is this, a colon, its client uuid
-- @reply granted  {1, hold count, 1 where the process is a listener, token as text}
-- @reply busy     {0, ttl in ms (-1: none, -2: the lock is free), one holder, ticket (0: the server refused to store a place), 1 where the
--                 process is a listener, 1 where a listener is missing, places (2: or more), the place whose process was notified and has
--                 not come yet, where the lock is free or is held for it, else empty}
-- @reply error    {-1, message with its code in front, type of the key} also for a counter that is none
-- @repeat safe: a place is added once, and goes with the grant; the holder's field proves that it was granted, and lease and token are given afresh

local function attempt(queue, holder, lease, ticket, listens)
  local raise = tokenRaiser(queue.counter)
  local reply = waitForTurn(queue, holder, lease, ticket, listens)
  if reply[1] == 1 then
    reply[4] = raise()
  end
  return reply
end

local replies = {}
local publish = ARGV[1]
local lease = tonumber(ARGV[2])
local life = tonumber(ARGV[3])
local soon = tonumber(ARGV[4])
for i = 1, #KEYS / 3 do
  local lock = KEYS[(i - 1) * 3 + 1]
  local counter = KEYS[(i - 1) * 3 + 2]
  local waiting = KEYS[(i - 1) * 3 + 3]
  local base = (i - 1) * 4 + 4
  local holder = ARGV[base + 1]
  local ticket = tonumber(ARGV[base + 2])
  local listens = ARGV[base + 3] == '1'
  local channel = ARGV[base + 4]
  local queue = {lock = lock, counter = counter, waiting = waiting, publish = publish, channel = channel, life = life, soon = soon}
  local ran, reply = pcall(attempt, queue, holder, lease, ticket, listens)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
