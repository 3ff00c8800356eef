-- Notifies the process whose turn it is that a permit is available: for a listener that has received a release, for a process that has
-- notified one and has not seen it come, and for one that gives up its place, or does not listen for the others any more.
--
-- @include isWhole failure amount publishMessage publishPermits reclaim raw hex nextExpiry givePermit permitOf isGiven givenPlace leavePlace clientOf readQueue firstPlace dropPlace callPlace callFirst callNextPermit mendListeners
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @key   lock     the semaphore: available permits
-- @key   timeout  the permits that are taken: a sorted set of permit ids, 16 bytes each, by the epoch ms at which they expire
-- @key   waiting  the queue of processes, a sorted set: tickets by place, <client uuid>:<permit id>, above 0; listeners below
-- @arg   absent   the place that was notified, and has not come; empty for none
-- @arg   leaving  what is given up: a place, or a listener (listener:<client uuid>); empty for none
-- @arg   yields   1 where others that listen to the semaphore's channel come first; else 0
-- @arg   lease    a short lease in ms of a permit that the place gets at once, for the others are as fast as its own call; 0: it takes one itself
-- @arg   channel  the semaphore's channel; that of a process is this, a colon, its client uuid
-- @reply taken    {0, ms until the first permit expires (-1: none ever does), its id or '', places (2: or more), the place that was given a
--                 permit and has not come for it, else empty}
-- @reply called   {1, the place that was notified, and has a permit if there are others and a lease was named}
-- @reply none     {2} no process has a place
-- @reply theirs   {3} others come first
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: it notifies the same process again, or finds that it was given a permit; what is given up never comes back

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(queue, absent, leaving, yields, lease)
  if not isWhole(lease, 0, 60000) then
    error({err = 'ERR the lease is out of range'})
  end
  local at, available = reclaim(queue.publish, queue.lock, queue.timeout, queue.channel)
  local before = available or 0
  if leaving ~= '' then
    available = leavePlace(queue, leaving, available)
  end
  local listeners, first, _, second = readQueue(queue.waiting)
  if absent ~= '' and (first == absent and available ~= nil and available > 0 or isGiven(queue, absent)) then
    local wasThere
    available, wasThere = leavePlace(queue, absent, available)
    if wasThere then
      redis.call('ZREM', queue.waiting, 'listener:' .. clientOf(absent))
      -- It may be alive, and slow.
      callPlace(queue, absent)
      listeners, first, _, second = readQueue(queue.waiting)
    end
  end
  local others
  others, first = mendListeners(queue, listeners, first)
  if available == nil or available < 1 then
    local ttl, holder = nextExpiry(queue.timeout, at)
    return {0, ttl, holder, (first and 1 or 0) + (second and 1 or 0), givenPlace(queue, first, second)}
  end
  if not first then
    -- The others have found it taken, and wait for its release.
    if available > before and others > 0 then
      publishPermits(queue.publish, queue.channel, available)
    end
    return {2}
  end
  if yields and others > 0 then
    return {3}
  end
  local place = callNextPermit(queue, first, others, lease, at)
  return place and {1, place} or {2}
end

local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 3 do
  local lock = KEYS[(i - 1) * 3 + 1]
  local timeout = KEYS[(i - 1) * 3 + 2]
  local waiting = KEYS[(i - 1) * 3 + 3]
  local base = (i - 1) * 5 + 1
  local absent = ARGV[base + 1]
  local leaving = ARGV[base + 2]
  local yields = ARGV[base + 3] == '1'
  local lease = tonumber(ARGV[base + 4])
  local channel = ARGV[base + 5]
  local queue = {lock = lock, timeout = timeout, waiting = waiting, publish = publish, channel = channel}
  local ran, reply = pcall(attempt, queue, absent, leaving, yields, lease)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
