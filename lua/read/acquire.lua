-- Takes the read side of a read/write lock, or raises the count of a holder that reads already.
-- Wire format section 7, read acquire. A waiting writer keeps new readers out (D15); who reads or writes already passes.
--
-- @include isWhole failure oneForAll rwMode readCount holdKey longestHold longestRead raiseLease rwHolder
-- @batch
-- @shared lease   the lease in ms, 1 to 10 years
-- @shared count   the read holds to reach, up to 65535: each has a key; 1 begins
-- @key   lock     the lock's hash: mode (read or write), <holder> -> read holds, <holder>:write -> write holds
-- @key   intent   the writer that waits: its holder id, for as long as it sleeps; one without a ttl is none of ours
-- @derived <lock>:<holder>:rwlock_timeout:<n>  one string per read hold, with its lease; the lock in braces, unless it has one
-- @arg   holder   the holder id, <client uuid>:<integer>
-- @reply granted  1, or {1, read holds} when the holder had more; 1 alone, in no array, answers all of a call
-- @reply busy     {0, ttl in ms (-1: none) of the writer's lock or intent, the writer}
-- @reply lost     {2} the count to reach is above 1 and the holder does not read
-- @reply error    {-1, message with its code in front, type of the key} also for a hash that is another kind of lock
-- @repeat safe: the call names the count to reach, so a second run finds it reached and gives the lease afresh

-- By lock: what the first reader of a call has found holds for those behind it: true where no writer waits, false where one may.
local found = {}

local lease = tonumber(ARGV[1])
local count = tonumber(ARGV[2])
-- As Redis takes them: a number it would put into text for each reader, with the care of one that may have a fraction.
local leaseText = string.format('%d', lease or 0)
local countText = string.format('%d', count or 0)

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function attempt(lock, intent, holder)
  if not isWhole(lease, 1, 315360000000) or not isWhole(count, 1, 65535) then
    error({err = 'ERR the lease or the hold count is out of range'})
  end
  local known = found[lock]
  local mode, writer = 'read', false
  if known == nil then
    mode, writer = rwMode(lock)
  end
  if mode == 'write' and writer ~= holder then
    return {0, redis.call('PTTL', lock), rwHolder(lock, writer)}
  end
  local held = readCount(lock, holder, mode, writer)
  if held == 0 and count > 1 then
    return {2}
  end
  local isClear = known or false
  if held == 0 and not writer and not isClear then
    -- An intent is optional: whatever is wrong with its key must not keep a holder from the lock.
    local waiting = redis.pcall('GET', intent)
    local left = type(waiting) == 'string' and waiting ~= holder and redis.call('PTTL', intent) or 0
    if left > 0 then
      return {0, left, waiting}
    end
    isClear = type(waiting) ~= 'string'
  end
  -- The keys first: one that is left over ends with its lease, a hold without one is taken for dead.
  for n = 1, count do
    local key = holdKey(lock, holder, n)
    local left = n <= held and redis.call('PTTL', key) or -1
    -- The field proves that no writer came in since, so a hold whose key has run out lives on.
    if left < 0 then
      redis.call('SET', key, '1', 'PX', leaseText)
    elseif n == count and left < lease then
      redis.call('PEXPIRE', key, lease)
    end
  end
  if held < count then
    if mode then
      redis.call('HSET', lock, holder, countText)
    else
      redis.call('HSET', lock, 'mode', 'read', holder, countText)
    end
    held = count
  end
  if not mode then
    redis.call('PEXPIRE', lock, lease)
  elseif known == nil then
    raiseLease(lock, lease)
  end
  if not writer then
    found[lock] = isClear
  end
  return held == count and 1 or {1, held}
end

local replies = {}
for i = 1, #KEYS / 2 do
  local at = (i - 1) * 2
  local base = i + 1
  local lock = KEYS[at + 1]
  local intent = KEYS[at + 2]
  local holder = ARGV[base + 1]
  local ran, reply = pcall(attempt, lock, intent, holder)
  replies[i] = ran and reply or failure(reply, lock)
end
return oneForAll(replies)
