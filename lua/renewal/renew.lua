-- Keeps leases alive: each only while its holder still has the lock, and never to a shorter time than is left (D17, D19).
-- With a lease of 0 it only looks.
--
-- @include isWhole failure oneForAll
-- @batch
-- @shared lease  the lease in ms to have from now on, up to 10 years; 0 changes nothing
-- @key   lock    the lock's hash
-- @arg   holder  the field that proves the hold
-- @reply alive   1 when it has just that lease now, {1, ttl in ms (-1: none)} when it has another; 1 alone, in no array, answers all of a call
-- @reply gone    {0} the holder has nothing; nothing was changed
-- @reply error   {-1, message with its code in front, type of the key}
-- @repeat safe: it only raises the ttl of a hold that still exists

local function attempt(lock, holder, lease)
  if not isWhole(lease, 0, 315360000000) then
    error({err = 'ERR the lease is out of range'})
  end
  if redis.call('HEXISTS', lock, holder) == 0 then
    return {0}
  end
  local left = redis.call('PTTL', lock)
  if lease > 0 and left <= lease then
    redis.call('PEXPIRE', lock, lease)
    return 1
  end
  -- A server that may not be written to, a replaced master perhaps, must not confirm a lease: what changes nothing is a write, too.
  redis.call('HDEL', lock, '')
  return {1, left}
end

local replies = {}
local lease = tonumber(ARGV[1])
for i = 1, #KEYS do
  local base = i
  local lock = KEYS[i]
  local holder = ARGV[base + 1]
  local ran, reply = pcall(attempt, lock, holder, lease)
  replies[i] = ran and reply or failure(reply, lock)
end
return oneForAll(replies)
