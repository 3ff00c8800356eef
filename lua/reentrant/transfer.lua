-- Hands a lock from one holder of this process to its next one in a single step, without a message:
-- for other clients the lock was held throughout, by a new holder at the end.
--
-- @batch
-- @key   lock        the lock's hash
-- @arg   from        the holder id that gives up all its holds
-- @arg   to          the holder id that takes the lock, with count 1
-- @arg   lease       the lease in ms of the new holder, 1 to 10 years
-- @reply transferred {1} also when a repeated call finds it done
-- @reply granted     {2} the giver had lost the lock, it was free, the taker has it
-- @reply busy        {0, ttl in ms (-1: none), one holder} the giver had lost the lock to somebody else
-- @reply error       {-1, message with its code in front, type of the key}
-- @repeat safe: holder ids are never used twice, so the taker's field proves that it was done; its lease is given afresh

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function whole(number, least, most)
  return number and number >= least and number <= most and number % 1 == 0
end

local function attempt(lock, from, to, lease)
  if not whole(lease, 1, 315360000000) or from == to then
    error({err = 'ERR the lease is out of range, or giver and taker are the same'})
  end
  if redis.call('HEXISTS', lock, from) == 1 then
    -- In this order also a server that is out of memory lets it happen: it refuses HSET as a first write only.
    redis.call('PEXPIRE', lock, lease)
    redis.call('HSET', lock, to, 1)
    redis.call('HDEL', lock, from)
    return {1}
  end
  if redis.call('HEXISTS', lock, to) == 1 then
    -- The caller counts its lease from this call, not from the one whose reply it never had.
    if redis.call('PTTL', lock) < lease then
      redis.call('PEXPIRE', lock, lease)
    end
    return {1}
  end
  if redis.call('EXISTS', lock) == 1 then
    return {0, redis.call('PTTL', lock), redis.call('HRANDFIELD', lock)}
  end
  redis.call('HSET', lock, to, 1)
  redis.call('PEXPIRE', lock, lease)
  return {2}
end

-- Redis 7 raises a table, Redis 6.2 a text with its place in front: '@user_script: 12: -OOM command not allowed'.
local function failure(problem, lock)
  local message = type(problem) == 'table' and problem.err or tostring(problem)
  message = string.match(message, '^@?user_script:%s*%d+:%s*%-?(.-)%s*$') or message
  return {-1, message, redis.pcall('TYPE', lock).ok or 'unknown'}
end

local replies = {}
for i = 1, #KEYS do
  local base = (i - 1) * 3
  local lock = KEYS[i]
  local from = ARGV[base + 1]
  local to = ARGV[base + 2]
  local lease = tonumber(ARGV[base + 3])
  local ran, reply = pcall(attempt, lock, from, to, lease)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
