-- Notifies the process whose turn it is to write, at a free read/write lock: for a listener that has received a release, for a process that
-- released the lock and has not seen it held since, and for one that gives up its place, or does not listen for the others any more. While
-- others read, the first place keeps new readers out (D15).
--
-- @include isWhole failure publishMessage rwMode rwHolder clientOf readQueue firstPlace dropPlace callPlace callFirst callNext mendListeners passFree keepReadersOut
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @key   lock     the lock's hash
-- @key   intent   the writer that waits: its holder id
-- @key   waiting  the queue of processes that wait to write, a sorted set: tickets by holder id, above 0; listeners below
-- @arg   absent   the place that was notified, and has not come; empty for none
-- @arg   leaving  what is given up: a place, or a listener (listener:<client uuid>); empty for none
-- @arg   yields   1 where others that listen to the lock's channel come first; else 0
-- @arg   lease    a short lease in ms that the place gets at once, for the others are as fast as its own call; 0: it takes the lock itself
-- @arg   channel  the lock's channel; that of a process is this, a colon, its client uuid; that of processes that wait to read this, and :readers
-- @reply held     {0, ttl in ms (-1: none), the writer or one reader, places (2: or more), the writer if it still has its place: it was given the
--                 lock, and has not come for it; else empty}
-- @reply called   {1, the place that was notified, and has the lock if there are others and a lease was named}
-- @reply none     {2} no process has a place
-- @reply theirs   {3} others come first, or read already, and more of them may
-- @reply error    {-1, message with its code in front, type of the key} also for a hash that is another kind of lock
-- @repeat safe: it notifies the same process again, or finds that it was given the lock; what is given up never comes back
local function attempt(queue, absent, leaving, yields, lease)
  if not isWhole(lease, 0, 60000) then
    error({err = 'ERR the lease is out of range'})
  end
  local lock = queue.lock
  local mode, writer = rwMode(lock)
  if leaving ~= '' then
    redis.call('ZREM', queue.waiting, leaving)
  end
  -- A writer that leaves may have got the lock this way, and no caller waits for it any more. One that is absent and has its place yet was
  -- given the lock below, and has not come for it. Such a lock has one hold, and no readers.
  local mayBeBack = writer and (writer == leaving or (writer == absent and redis.call('ZSCORE', queue.waiting, absent)))
  local isBack = mayBeBack and redis.call('HLEN', lock) == 2 and redis.call('HGET', lock, writer .. ':write') == '1'
  if not mode or isBack then
    if isBack then
      redis.call('DEL', lock)
    end
    local reply = passFree(queue, absent, yields, lease, isBack, '1')
    -- Readers would stay out for nobody. Those that the intent has refused sleep until it ends: `passFree` has notified them where it took the
    -- lock back.
    if reply[1] == 2 and not firstPlace(queue.waiting) and redis.pcall('DEL', queue.intent) == 1 and not isBack then
      publishMessage(queue.publish, queue.channel, '1')
    end
    return reply
  end
  local listeners, first, _, second = readQueue(queue.waiting)
  local others = mendListeners(queue, listeners, first)
  if mode == 'read' and first then
    if yields and others > 0 then
      return {3}
    end
    keepReadersOut(queue)
  end
  local isGiven = writer and (writer == first or writer == second)
  return {0, redis.call('PTTL', lock), rwHolder(lock, writer), (first and 1 or 0) + (second and 1 or 0), isGiven and writer or ''}
end

local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 3 do
  local lock = KEYS[(i - 1) * 3 + 1]
  local intent = KEYS[(i - 1) * 3 + 2]
  local waiting = KEYS[(i - 1) * 3 + 3]
  local base = (i - 1) * 5 + 1
  local absent = ARGV[base + 1]
  local leaving = ARGV[base + 2]
  local yields = ARGV[base + 3] == '1'
  local lease = tonumber(ARGV[base + 4])
  local channel = ARGV[base + 5]
  local queue = {lock = lock, intent = intent, waiting = waiting, publish = publish, channel = channel, readers = channel .. ':readers'}
  local ran, reply = pcall(attempt, queue, absent, leaving, yields, lease)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
