-- Moves the mark of a job to a tick, and notes when the next one is due, where that is known: '<mark> <due>', for an older version of the
-- library moves the mark alone.
local function moveMark(record, tick, due)
  if due then
    redis.call('HSET', record, 'mark', string.format('%.0f', tick), 'next', string.format('%.0f %.0f', tick, due))
  else
    redis.call('HSET', record, 'mark', string.format('%.0f', tick))
    redis.call('HDEL', record, 'next')
  end
end
