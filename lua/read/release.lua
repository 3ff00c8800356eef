-- Lowers a holder's read holds from the top, or ends them; the last reader frees the lock, and notifies the process whose turn it is to write;
-- where none has a place, and where processes wait to read, all that listen to the lock's channel.
-- Wire format section 7, read unlock. Only hold keys that live show which holders read: a dead reader does not keep the lock.
-- Where others read on, or the holder writes on, a lease of the lock that becomes shorter is published.
--
-- @include isWhole failure publishMessage publishShorterLease setLease rwMode readCount holdKey longestHold longestRead lastsAsLong dropHolds dropOrphans clientOf readQueue firstPlace dropPlace callPlace callFirst callNext mendListeners turnOfOthers passOn notifyWaiters
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @key   lock     the lock's hash
-- @key   waiting  the queue of processes that wait to write, a sorted set: tickets by holder id, above 0; listeners below; the lock again where
--                 there is no queue
-- @derived <lock>:<holder>:rwlock_timeout:<n>  one string per read hold, with its lease; the lock in braces, unless it has one
-- @arg   holder   the holder id
-- @arg   count    the read holds to leave behind; 0 ends them
-- @arg   lease    where a count stays the lease in ms that its holds have from now on, 1 to 10 years. Else the short lease in ms of a place that is
--                 notified while others listen to the lock's channel: it has the lock at once; 0: its process takes the lock itself
-- @arg   write   the lease in ms that the write hold of the same holder needs yet, up to 10 years; 0: not known, and not made shorter
-- @arg   channel  the lock's channel; that of a process is this, a colon, its client uuid; that of processes that wait to read this, and :readers
-- @reply released {1, clients that PUBLISH reached (-1: publishing was refused)} 0 also where others hold on, and nothing was published
-- @reply passed   {1, clients that listen beside the listeners (-1: publishing was refused), the place that was notified, and may have the lock
--                 with a short lease; empty for none}
-- @reply kept     {2, read holds}
-- @reply gone     {0} the holder does not read
-- @reply error    {-1, message with its code in front, type of the key} also for a hash that is another kind of lock
-- @repeat safe: it only lowers a count and never creates a field

-- What is left of the lock may be longer than its longest hold by this, in ms: readers that began together end without a message each.
local SPARE = 50

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(queue, holder, count, lease, write)
  local publish, lock, channel = queue.publish, queue.lock, queue.channel
  if not isWhole(count, 0, 65535) or not isWhole(lease, count == 0 and 0 or 1, 315360000000) or not isWhole(write, 0, 315360000000) then
    error({err = 'ERR the hold count or a lease is out of range'})
  end
  local mode, writer = rwMode(lock)
  local held = readCount(lock, holder, mode, writer)
  if held == 0 then
    if count == 0 then
      dropOrphans(lock, holder)
    end
    if not mode then
      publishMessage(publish, channel, '0')
    end
    return {0}
  end
  if held <= count then
    return {2, held}
  end
  -- In this order also a server that is out of memory lets it happen: it refuses HSET and SET as a first write only.
  dropHolds(lock, holder, count + 1, held)
  if count == 0 then
    redis.call('HDEL', lock, holder)
  else
    redis.call('HSET', lock, holder, count)
    for n = 1, count do
      redis.call('SET', holdKey(lock, holder, n), 1, 'PX', lease)
    end
  end
  -- Among a crowd one hold that lasts as long as the lock does for all: to look at each of them would take the longer the more there are.
  if count == 0 and mode == 'read' and redis.call('HLEN', lock) > 32 and lastsAsLong(lock) then
    return {1, 0}
  end
  local left = longestRead(lock)
  if left == 0 and not writer then
    redis.call('DEL', lock)
    return notifyWaiters(queue, holder, lease, '0')
  end
  -- Never below the longest hold that lives, nor below what a writer has (D17): only the writer itself reads beside it.
  if mode == 'write' and write == 0 then
    local present = redis.call('PTTL', lock)
    if present >= 0 and present < left then
      redis.call('PEXPIRE', lock, left)
    end
  elseif setLease(lock, mode == 'write' and math.max(left, write) or left, SPARE) then
    publishShorterLease(publish, channel)
  end
  return count == 0 and {1, 0} or {2, count}
end

local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 2 do
  local base = (i - 1) * 5 + 1
  local lock = KEYS[(i - 1) * 2 + 1]
  local waiting = KEYS[(i - 1) * 2 + 2]
  local holder = ARGV[base + 1]
  local count = tonumber(ARGV[base + 2])
  local lease = tonumber(ARGV[base + 3])
  local write = tonumber(ARGV[base + 4])
  local channel = ARGV[base + 5]
  local queue = {lock = lock, waiting = waiting, publish = publish, channel = channel, readers = channel .. ':readers', hadTurn = true}
  local ran, reply = pcall(attempt, queue, holder, count, lease, write)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
