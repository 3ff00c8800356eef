-- Keeps permits alive, each only while it is there. With a lease of 0 it only looks. Wire format section 10, update lease.
-- A lease that becomes shorter is published: waiters sleep until the first permit expires, as far as they know. All of them ask again.
--
-- @include isWhole failure amount publishMessage publishPermits reclaim raw
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @key   lock     the semaphore: available permits
-- @key   timeout  the permits that are taken: a sorted set of permit ids, 16 bytes each, by the epoch ms at which they expire
-- @arg   permit   the permit id, 32 hex characters
-- @arg   lease    the lease in ms to have from now on, up to 10 years; 0 changes nothing
-- @arg   manner   'raise', which never shortens a lease, or 'set'
-- @arg   channel  the semaphore's channel
-- @reply alive    {1, what is left of the lease in ms (-1: it never ends)}
-- @reply gone     {0} the permit is unknown, or its lease was over
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: it names the lease of a permit that is still there, and ids are never used twice

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(publish, lock, timeout, permit, lease, manner, channel)
  local id = raw(permit)
  if not isWhole(lease, 0, 315360000000) or manner ~= 'raise' and manner ~= 'set' then
    error({err = 'ERR the lease is out of range, or the manner is unknown'})
  end
  local at = reclaim(publish, lock, timeout, channel)
  local expiry = tonumber(redis.call('ZSCORE', timeout, id))
  if expiry == nil then
    return {0}
  end
  -- A server that may not be written to, a replaced master perhaps, must not confirm a lease: what changes nothing is a write, too.
  -- And one that is out of memory refuses ZADD as a first write only.
  redis.call('ZREM', timeout, '')
  if lease > 0 and (manner == 'set' or expiry < at + lease) then
    local isShorter = expiry > at + lease
    expiry = at + lease
    redis.call('ZADD', timeout, string.format('%.0f', expiry), id)
    if isShorter then
      publishPermits(publish, channel, 2147483647)
    end
  end
  return {1, expiry >= 922337203685477 and -1 or expiry - at}
end

local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 2 do
  local base = (i - 1) * 4 + 1
  local lock = KEYS[(i - 1) * 2 + 1]
  local timeout = KEYS[(i - 1) * 2 + 2]
  local permit = ARGV[base + 1]
  local lease = tonumber(ARGV[base + 2])
  local manner = ARGV[base + 3]
  local channel = ARGV[base + 4]
  local ran, reply = pcall(attempt, publish, lock, timeout, permit, lease, manner, channel)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
