-- Lowers a writer's count, frees the lock, or leaves it to the writer's own read holds, and notifies the process whose turn it is to write; where
-- none has a place, and where processes wait to read, all that listen to the lock's channel.
-- Wire format section 7, write unlock; Java publishes nothing where the holder reads on (D7). A writer that gives up waiting lets the readers in.
-- Where write holds stay, a lease that becomes shorter is published.
--
-- @include isWhole failure publishMessage publishShorterLease setLease rwMode writeCount holdKey longestHold longestRead clientOf readQueue firstPlace dropPlace callPlace callFirst callNext mendListeners turnOfOthers passOn hasQueue keepReadersOut notifyWaiters
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @key   lock     the lock's hash
-- @key   intent   the writer that waits: its holder id
-- @key   waiting  the queue of processes that wait to write, a sorted set: tickets by holder id, above 0; listeners below; the lock again where
--                 there is no queue
-- @derived <lock>:<holder>:rwlock_timeout:<n>  one string per read hold, with its lease; the lock in braces, unless it has one
-- @arg   holder   the holder id, whose place ends too where no count stays
-- @arg   count    the write holds to leave behind; 0 ends them
-- @arg   lease    where a count stays the lease in ms to restore, 1 to 10 years. Else the short lease in ms of a place that is notified while others
--                 listen to the lock's channel: it has the lock at once; 0: its process takes the lock itself
-- @arg   channel  the lock's channel; that of a process is this, a colon, its client uuid; that of processes that wait to read this, and :readers
-- @reply released {1, clients that PUBLISH reached (-1: publishing was refused)}
-- @reply passed   {1, clients that listen beside the listeners (-1: publishing was refused), the place that was notified, and may have the lock
--                 with a short lease; empty for none}
-- @reply kept     {2, write holds}
-- @reply gone     {0} the holder does not write; its intent, if any, is taken back, or is that of the next writer
-- @reply error    {-1, message with its code in front, type of the key} also for a hash that is another kind of lock
-- @repeat safe: it only lowers a count and never creates a field

-- What is left of the lock may be longer than its longest hold by this, in ms: that is worth no message.
local SPARE = 50

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(queue, holder, count, lease)
  local publish, lock, intent, channel = queue.publish, queue.lock, queue.intent, queue.channel
  if not isWhole(count, 0, 2147483647) or not isWhole(lease, count == 0 and 0 or 1, 315360000000) then
    error({err = 'ERR the hold count or the lease is out of range'})
  end
  local mode, writer = rwMode(lock)
  local held = writeCount(lock, holder, writer)
  if held == 0 then
    local waited = count == 0 and redis.pcall('GET', intent) == holder
    local hasLeft = count == 0 and hasQueue(queue) and redis.call('ZREM', queue.waiting, holder) == 1
    if waited then
      redis.call('DEL', intent)
    end
    if hasLeft and not mode then
      -- It may have been notified, and does not come.
      callFirst(queue)
    end
    local staysClosed = waited and mode == 'read' and hasQueue(queue) and keepReadersOut(queue)
    if not mode or (waited and mode == 'read' and not staysClosed) then
      publishMessage(publish, channel, '1')
    end
    return {0}
  end
  if count > 0 then
    if held > count then
      -- In this order also a server that is out of memory lets it happen: it refuses HSET as a first write only.
      local isShorter = setLease(lock, math.max(lease, longestRead(lock)), SPARE)
      redis.call('HSET', lock, holder .. ':write', count)
      held = count
      if isShorter then
        publishShorterLease(publish, channel)
      end
    end
    return {2, held}
  end
  redis.call('HDEL', lock, holder .. ':write')
  local left = longestRead(lock)
  redis.pcall('DEL', intent)
  if left == 0 then
    redis.call('DEL', lock)
    return notifyWaiters(queue, holder, lease, '1')
  end
  -- From here on the lock is only as long-lived as its readers: a dead one must not keep it for a writer's lease.
  redis.call('HSET', lock, 'mode', 'read')
  redis.call('PEXPIRE', lock, left)
  return {1, publishMessage(publish, channel, '1')}
end

local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 3 do
  local at = (i - 1) * 3
  local base = (i - 1) * 4 + 1
  local lock = KEYS[at + 1]
  local intent = KEYS[at + 2]
  local waiting = KEYS[at + 3]
  local holder = ARGV[base + 1]
  local count = tonumber(ARGV[base + 2])
  local lease = tonumber(ARGV[base + 3])
  local channel = ARGV[base + 4]
  local queue = {lock = lock, intent = intent, waiting = waiting, publish = publish, channel = channel, readers = channel .. ':readers'}
  local ran, reply = pcall(attempt, queue, holder, count, lease)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
