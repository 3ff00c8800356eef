/**
 * What a Java client does to a fair lock, in our own words, from the tables of the wire format (section 6). It knows neither
 * what Node waiters declared nor who of them lives. KEYS: the lock, its queue, the times. ARGV: the holder, W, the lease.
 */
const PREAMBLE = `
local lock, queue, times = KEYS[1], KEYS[2], KEYS[3]
local me, wait, lease, channel = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local function timeOf(waiter)
  return waiter and tonumber(redis.call('ZSCORE', times, waiter))
end
local function head()
  return redis.call('LINDEX', queue, 0)
end
local function prune()
  local time = timeOf(head())
  while time and time <= now do
    redis.call('ZREM', times, head())
    redis.call('LPOP', queue)
    time = timeOf(head())
  end
end
`;

const TAKE_OR_REENTER = `
prune()
if redis.call('EXISTS', lock) == 0 and (not head() or head() == me) then
  redis.call('LPOP', queue)
  redis.call('ZREM', times, me)
  for _, waiter in ipairs(redis.call('ZRANGE', times, 0, -1)) do
    redis.call('ZINCRBY', times, -wait, waiter)
  end
  redis.call('HSET', lock, me, 1)
  redis.call('PEXPIRE', lock, lease)
  return 'acquired'
end
if redis.call('HEXISTS', lock, me) == 1 then
  redis.call('HINCRBY', lock, me, 1)
  redis.call('PEXPIRE', lock, lease)
  return 'acquired'
end
`;

export const JAVA_TRY = `${PREAMBLE}${TAKE_OR_REENTER} return 'refused'`;

export const JAVA_ACQUIRE = `${PREAMBLE}${TAKE_OR_REENTER}
if timeOf(me) then
  return math.max(redis.call('PTTL', lock), 0)
end
local last = redis.call('LINDEX', queue, -1)
local left = last and last ~= me and timeOf(last)
left = left and left - now or redis.call('PTTL', lock)
if redis.call('ZADD', times, left + wait + now, me) == 1 then
  redis.call('RPUSH', queue, me)
end
return left`;

export const JAVA_LEAVE = `${PREAMBLE}
local reached = false
for _, waiter in ipairs(redis.call('LRANGE', queue, 0, -1)) do
  if reached then
    redis.call('ZADD', times, 'XX', 'INCR', -wait, waiter)
  end
  reached = reached or waiter == me
end
redis.call('ZREM', times, me)
redis.call('LREM', queue, 0, me)
return 'left'`;

export const JAVA_UNLOCK = `${PREAMBLE}
prune()
local count = tonumber(redis.call('HGET', lock, me))
if redis.call('EXISTS', lock) == 1 then
  if not count then
    return 'not owner'
  end
  if count > 1 then
    redis.call('HSET', lock, me, count - 1)
    redis.call('PEXPIRE', lock, lease)
    return 'kept'
  end
  redis.call('DEL', lock)
end
if head() then
  redis.call('PUBLISH', channel .. ':' .. head(), '0')
end
return 'released'`;
