-- Reads a semaphore whose permits expire, after taking back those whose leases are over. Wire format section 10.
--
-- @include isWhole failure amount publishMessage publishPermits reclaim raw hex
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @key   lock     the semaphore: available permits
-- @key   timeout  the permits that are taken: a sorted set of permit ids, 16 bytes each, by the epoch ms at which they expire
-- @arg   permit   the permit to ask for, 32 hex characters; empty when none is asked for
-- @arg   channel  the semaphore's channel
-- @reply state    {1, permits available, permits taken, ms left of the given one (-1: no end, -2: unknown), ms left of the first one (-1), its id or ''}
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: it changes nothing that its time had not ended
local function attempt(publish, lock, timeout, permit, channel)
  local id = permit ~= '' and raw(permit)
  local at, available = reclaim(publish, lock, timeout, channel)
  local function left(expiry)
    return expiry >= 922337203685477 and -1 or expiry - at
  end
  local given = id and tonumber(redis.call('ZSCORE', timeout, id))
  local first = redis.call('ZRANGE', timeout, 0, 0, 'WITHSCORES')
  local taken = redis.call('ZCARD', timeout)
  if taken == 0 then
    return {1, available or 0, 0, -2, -1, ''}
  end
  return {1, available or 0, taken, given and left(given) or -2, left(tonumber(first[2])), hex(first[1])}
end

local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 2 do
  local base = (i - 1) * 2
  local lock = KEYS[base + 1]
  local timeout = KEYS[base + 2]
  local permit = ARGV[base + 2]
  local channel = ARGV[base + 3]
  local ran, reply = pcall(attempt, publish, lock, timeout, permit, channel)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
