-- Keeps write leases alive: each only while its holder still writes, and never to a shorter time than is left (D17, D19).
-- With a lease of 0 it only looks.
--
-- @include isWhole failure rwMode writeCount holdKey longestHold longestRead raiseLease
-- @batch
-- @key   lock    the lock's hash
-- @derived <lock>:<holder>:rwlock_timeout:<n>  one string per read hold, with its lease; the lock in braces, unless it has one
-- @arg   holder  the holder id
-- @arg   lease   the lease in ms to have from now on, up to 10 years; 0 changes nothing
-- @reply alive   {1, ttl in ms (-1: none)}
-- @reply gone    {0} the holder does not write; nothing was changed
-- @reply error   {-1, message with its code in front, type of the key} also for a hash that is another kind of lock
-- @repeat safe: it only raises the ttl of a hold that still exists
local function attempt(lock, holder, lease)
  if not isWhole(lease, 0, 315360000000) then
    error({err = 'ERR the lease is out of range'})
  end
  local _, writer = rwMode(lock)
  if writeCount(lock, holder, writer) == 0 then
    return {0}
  end
  -- A server that may not be written to, a replaced master perhaps, must not confirm a lease: what changes nothing is a write, too.
  redis.call('HDEL', lock, '')
  return {1, lease > 0 and raiseLease(lock, lease) or redis.call('PTTL', lock)}
end

local replies = {}
for i = 1, #KEYS do
  local base = (i - 1) * 2
  local lock = KEYS[i]
  local holder = ARGV[base + 1]
  local lease = tonumber(ARGV[base + 2])
  local ran, reply = pcall(attempt, lock, holder, lease)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
