-- Takes one permit under an id of the caller's, until its lease is over. Wire format section 10.
--
-- @include isWhole failure amount publishMessage publishPermits reclaim raw hex
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @key   lock     the semaphore: available permits
-- @key   timeout  the permits that are taken: a sorted set of permit ids, 16 bytes each, by the epoch ms at which they expire
-- @arg   permit   the permit id, 32 hex characters, new for each permit
-- @arg   lease    the lease in ms, 1 to 10 years
-- @arg   channel  the semaphore's channel
-- @reply granted  {1, 1, permits left}
-- @reply busy     {0, ms until the first permit expires (-1: none ever does), its id or ''}
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: the id that is there proves that it was done; its lease is given afresh

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(publish, lock, timeout, permit, lease, channel)
  local id = raw(permit)
  if not isWhole(lease, 1, 315360000000) then
    error({err = 'ERR the lease is out of range'})
  end
  local at, available = reclaim(publish, lock, timeout, channel)
  local expiry = string.format('%.0f', at + lease)
  local given = redis.call('ZSCORE', timeout, id)
  if given then
    if tonumber(given) < at + lease then
      redis.call('ZADD', timeout, expiry, id)
    end
    return {1, 1, available or 0}
  end
  if available == nil or available < 1 then
    local first = redis.call('ZRANGE', timeout, 0, 0, 'WITHSCORES')
    if first[1] == nil or tonumber(first[2]) >= 922337203685477 then
      return {0, -1, first[1] and hex(first[1]) or ''}
    end
    return {0, tonumber(first[2]) - at, hex(first[1])}
  end
  available = redis.call('DECRBY', lock, 1)
  redis.call('ZADD', timeout, expiry, id)
  local ttl = redis.call('PTTL', lock)
  if ttl > 0 then
    redis.call('PEXPIRE', timeout, ttl)
  end
  return {1, 1, available}
end

local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS / 2 do
  local base = (i - 1) * 3 + 1
  local lock = KEYS[(i - 1) * 2 + 1]
  local timeout = KEYS[(i - 1) * 2 + 2]
  local permit = ARGV[base + 1]
  local lease = tonumber(ARGV[base + 2])
  local channel = ARGV[base + 3]
  local ran, reply = pcall(attempt, publish, lock, timeout, permit, lease, channel)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
