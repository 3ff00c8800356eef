-- Lowers a writer's count, frees the lock, or leaves it to the writer's own read holds, and wakes all waiters.
-- Wire format section 7, write unlock; Java publishes nothing where the holder reads on (D7). A writer that gives up waiting lets the readers in.
-- Where write holds stay, a lease that becomes shorter is published.
--
-- @include isWhole failure publishMessage publishShorterLease setLease rwMode writeCount holdKey longestHold longestRead
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @key   lock     the lock's hash
-- @key   intent   the writer that waits: its holder id
-- @derived <lock>:<holder>:rwlock_timeout:<n>  one string per read hold, with its lease; the lock in braces, unless it has one
-- @arg   holder   the holder id
-- @arg   count    the write holds to leave behind; 0 ends them
-- @arg   lease    the lease in ms to restore when a count stays, 1 to 10 years; not looked at otherwise
-- @arg   channel  the lock's channel
-- @reply released {1, clients that PUBLISH reached (-1: publishing was refused)}
-- @reply kept     {2, write holds}
-- @reply gone     {0} the holder does not write; its intent, if any, is taken back
-- @reply error    {-1, message with its code in front, type of the key} also for a hash that is another kind of lock
-- @repeat safe: it only lowers a count and never creates a field

-- What is left of the lock may be longer than its longest hold by this, in ms: that is worth no message.
local SPARE = 50

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(publish, lock, intent, holder, count, lease, channel)
  if not isWhole(count, 0, 2147483647) or not (count == 0 or isWhole(lease, 1, 315360000000)) then
    error({err = 'ERR the hold count or the lease is out of range'})
  end
  local mode, writer = rwMode(lock)
  local held = writeCount(lock, holder, writer)
  if held == 0 then
    local waited = count == 0 and redis.pcall('GET', intent) == holder
    if waited then
      redis.call('DEL', intent)
    end
    if not mode or (waited and mode == 'read') then
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
  if left == 0 then
    redis.call('DEL', lock)
  else
    -- From here on the lock is only as long-lived as its readers: a dead one must not keep it for a writer's lease.
    redis.call('HSET', lock, 'mode', 'read')
    redis.call('PEXPIRE', lock, left)
  end
  redis.pcall('DEL', intent)
  return {1, publishMessage(publish, channel, '1')}
end

local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 2 do
  local at = (i - 1) * 2
  local base = (i - 1) * 4 + 1
  local lock = KEYS[at + 1]
  local intent = KEYS[at + 2]
  local holder = ARGV[base + 1]
  local count = tonumber(ARGV[base + 2])
  local lease = tonumber(ARGV[base + 3])
  local channel = ARGV[base + 4]
  local ran, reply = pcall(attempt, publish, lock, intent, holder, count, lease, channel)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
