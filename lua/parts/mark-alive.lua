-- Marks the process of a client or holder id as alive, until `life` ms from now, and keeps the declared waits for as long as
-- a waiter may stand in the queue.
local function markAlive(fair, id, life)
  local last = redis.call('ZRANGE', fair.timeout, -1, -1, 'WITHSCORES')
  local ends = math.floor(math.min(tonumber(last[2]) or 0, fair.now + 315360000000))
  redis.call('ZADD', fair.alive, fair.now + life, string.match(id, '^[^:]*'))
  redis.call('PEXPIREAT', fair.alive, fair.now + life)
  redis.call('PEXPIREAT', fair.waits, math.max(ends, fair.now + life))
end
