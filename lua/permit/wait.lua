-- Takes a permit for a process whose turn it is, or gives the process a place in the queue of processes. The process has subscribed its
-- channel before. It is its turn where no process has a place before its own. Wire format section 10.
--
-- @include isWhole failure amount publishMessage publishPermits reclaim raw hex nextExpiry givePermit permitOf isGiven givenPlace clientOf readQueue firstPlace dropPlace callPlace callFirst lengthenQueue listListener checkWait isTurnOf takePlace announceLease
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @shared lease   the lease in ms, 1 to 10 years
-- @shared life    how long the queue lasts after the last call of a waiter, in ms, 1 to 10 years
-- @shared soon    a lease that ends before is announced to the listeners, in ms, up to 10 years
-- @key   lock     the semaphore: available permits
-- @key   timeout  the permits that are taken: a sorted set of permit ids, 16 bytes each, by the epoch ms at which they expire
-- @key   waiting  the queue of processes, a sorted set: tickets by place, <client uuid>:<permit id>, above 0; listeners below
-- @arg   permit   the permit id, 32 hex characters, new for each permit
-- @arg   client   the client uuid of the process
-- @arg   ticket   the ticket that the place had, for one that was dropped meanwhile; 0: a new one, behind all others
-- @arg   listens  1 where the process listens to the semaphore's channel, and may be a listener; else 0
-- @arg   channel  the semaphore's channel; that of a process is this, a colon, its client uuid
-- @reply granted  {1, 1, permits left, 1 where the process is a listener, the place that was notified because a permit is left, else empty}
-- @reply busy     {0, ms until the first permit expires (-1: none ever does, -2: a permit is available), its id or '', ticket (0: the server
--                 refused to store a place), 1 where the process is a listener, 1 where a listener is missing, places (2: or more), the place
--                 whose process was notified and has not come yet, where a permit is available or is taken for it, else empty}
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: a place is added once, and goes with the permit; the id that is there proves that it was granted, and its lease is given afresh

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(queue, permit, client, lease, ticket, listens)
  local id = raw(permit)
  local place = client .. ':' .. permit
  checkWait(queue, place, lease, ticket)
  local at, available = reclaim(queue.publish, queue.lock, queue.timeout, queue.channel)
  local given = tonumber(redis.call('ZSCORE', queue.timeout, id))
  local listeners, first, lowest, second = readQueue(queue.waiting)
  local isFree = available ~= nil and available > 0
  if given or (isFree and isTurnOf(place, ticket, first, lowest)) then
    local hasCome = redis.call('ZREM', queue.waiting, place) == 1
    local left = given and (available or 0) or givePermit(queue, id, at + lease)
    -- A process that has come for the permit that it was given gets just the lease that it asks for.
    if given and (hasCome or given < at + lease) then
      redis.call('ZADD', queue.timeout, string.format('%.0f', at + lease), id)
    end
    announceLease(queue, listeners, lease)
    local isListener = listListener(queue, listeners, client, listens)
    -- Those that were given back since have notified the first place alone, which was this one.
    local called = left > 0 and callFirst(queue)
    return {1, 1, left, isListener, called or ''}
  end
  local own, isListener, isMissing, places = takePlace(queue, place, ticket, listens, listeners, first, second)
  local ttl, holder = nextExpiry(queue.timeout, at)
  local called = ''
  if own > 0 then
    called = isFree and first or givenPlace(queue, first, second)
  end
  return {0, isFree and -2 or ttl, holder, own, isListener, isMissing, places, called}
end

local replies = {}
local publish = ARGV[1]
local lease = tonumber(ARGV[2])
local life = tonumber(ARGV[3])
local soon = tonumber(ARGV[4])
for i = 1, #KEYS / 3 do
  local lock = KEYS[(i - 1) * 3 + 1]
  local timeout = KEYS[(i - 1) * 3 + 2]
  local waiting = KEYS[(i - 1) * 3 + 3]
  local base = (i - 1) * 5 + 4
  local permit = ARGV[base + 1]
  local client = ARGV[base + 2]
  local ticket = tonumber(ARGV[base + 3])
  local listens = ARGV[base + 4] == '1'
  local channel = ARGV[base + 5]
  local queue = {lock = lock, timeout = timeout, waiting = waiting, publish = publish, channel = channel, life = life, soon = soon}
  local ran, reply = pcall(attempt, queue, permit, client, lease, ticket, listens)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
