-- Keeps read holds alive: their keys, and the hash, which must outlive the longest of them (D17, D19). Never shortens.
-- With a lease of 0 it only looks, and raises a hash that a reader in Java has set below a hold of ours.
-- A lock whose last reader it finds dead is free from then on, which is published.
--
-- @include isWhole failure publishMessage rwMode readCount holdKey longestHold longestRead raiseLease dropOrphans
-- @batch
-- @shared publish PUBLISH, or SPUBLISH where the deployment shards its channels
-- @key   lock    the lock's hash
-- @derived <lock>:<holder>:rwlock_timeout:<n>  one string per read hold, with its lease; the lock in braces, unless it has one
-- @arg   holder  the holder id
-- @arg   lease   the lease in ms that every hold has from now on at least, up to 10 years; 0 gives none
-- @arg   channel the lock's channel
-- @reply alive   {1, what is left of the holder's longest hold in ms}
-- @reply gone    {0} the holder does not read, or the keys of all its holds have run out: then nothing of it stays
-- @reply error   {-1, message with its code in front, type of the key} also for a hash that is another kind of lock
-- @repeat safe: it only raises the ttl of holds that still exist
local function attempt(publish, lock, holder, lease, channel)
  if not isWhole(lease, 0, 315360000000) then
    error({err = 'ERR the lease is out of range'})
  end
  local mode, writer = rwMode(lock)
  local held = readCount(lock, holder, mode, writer)
  local longest = longestHold(lock, holder, held)
  if longest == 0 then
    if held > 0 then
      -- Dead by its keys, as for everybody else: a later release must not take it for a reader.
      redis.call('HDEL', lock, holder)
      if not writer and longestRead(lock) == 0 then
        redis.call('DEL', lock)
        publishMessage(publish, channel, '0')
      end
    end
    dropOrphans(lock, holder)
    return {0}
  end
  for n = 1, held do
    local key = holdKey(lock, holder, n)
    local left = redis.call('PTTL', key)
    if left >= 0 and left < lease then
      redis.call('PEXPIRE', key, lease)
    end
  end
  -- A server that may not be written to, a replaced master perhaps, must not confirm a lease: what changes nothing is a write, too.
  redis.call('HDEL', lock, '')
  longest = math.max(longest, lease)
  if lease > 0 or redis.call('PTTL', lock) >= 0 then
    raiseLease(lock, longest)
  end
  return {1, longest}
end

local replies = {}
local publish = ARGV[1]
for i = 1, #KEYS do
  local base = (i - 1) * 3 + 1
  local lock = KEYS[i]
  local holder = ARGV[base + 1]
  local lease = tonumber(ARGV[base + 2])
  local channel = ARGV[base + 3]
  local ran, reply = pcall(attempt, publish, lock, holder, lease, channel)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
