-- Moves the mark of a job to a tick, and notes when the next one is due, where that is known.
local function moveMark(record, tick, due)
  if due then
    redis.call('HSET', record, 'mark', string.format('%.0f', tick), 'next', string.format('%.0f', due))
  else
    redis.call('HSET', record, 'mark', string.format('%.0f', tick))
    redis.call('HDEL', record, 'next')
  end
end
