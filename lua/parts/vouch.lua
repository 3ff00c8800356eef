-- Notes that the process of a client or holder id lives, until `life` ms from now, and keeps the declared waits for as long as
-- somebody may stand in the queue. PEXPIRE first: a server that is out of memory refuses ZADD as a first write.
local function vouch(fair, id, life)
  local last = redis.call('ZRANGE', fair.timeout, -1, -1, 'WITHSCORES')
  local left = math.floor(math.min((tonumber(last[2]) or 0) - fair.now, 315360000000))
  redis.call('PEXPIRE', fair.waits, math.max(left, life))
  redis.call('ZREMRANGEBYSCORE', fair.alive, '-inf', fair.now)
  redis.call('ZADD', fair.alive, fair.now + life, string.match(id, '^[^:]*'))
  redis.call('PEXPIRE', fair.alive, life)
end
