-- Takes a free lock, or raises the count of a holder that has it already.
-- Wire format section 2, with D28 avoided: a re-entry never shortens the lease.
--
-- @batch
-- @key   lock     the lock's hash: one field, the holder, whose value is the hold count
-- @arg   holder   the holder id, <client uuid>:<integer>
-- @arg   lease    the lease in ms, 1 to 10 years
-- @arg   count    the hold count to reach; 1 takes a free lock
-- @reply granted  {1, hold count}
-- @reply busy     {0, ttl in ms (-1: none), one holder}
-- @reply lost     {2} the count to reach is above 1 and the holder has nothing
-- @reply error    {-1, message with its code in front, type of the key}
-- @repeat safe: the call names the count to reach, so a second run finds it reached and gives the lease afresh

-- A script that fails midway is not rolled back: whatever may be wrong is refused before the first write.
local function whole(number, least, most)
  return number and number >= least and number <= most and number % 1 == 0
end

local function attempt(lock, holder, lease, count)
  if not whole(lease, 1, 315360000000) or not whole(count, 1, 2147483647) then
    error({err = 'ERR the lease or the hold count is out of range'})
  end
  local held = tonumber(redis.call('HGET', lock, holder))
  if held == nil then
    if redis.call('EXISTS', lock) == 1 then
      return {0, redis.call('PTTL', lock), redis.call('HRANDFIELD', lock)}
    end
    if count > 1 then
      return {2}
    end
    redis.call('HSET', lock, holder, 1)
    redis.call('PEXPIRE', lock, lease)
    return {1, 1}
  end
  if held < count then
    redis.call('HSET', lock, holder, count)
    held = count
  end
  if redis.call('PTTL', lock) < lease then
    redis.call('PEXPIRE', lock, lease)
  end
  return {1, held}
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
  local holder = ARGV[base + 1]
  local lease = tonumber(ARGV[base + 2])
  local count = tonumber(ARGV[base + 3])
  local ran, reply = pcall(attempt, lock, holder, lease, count)
  replies[i] = ran and reply or failure(reply, lock)
end
return replies
