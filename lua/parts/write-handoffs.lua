-- Writes down the ticks that wait to be run by any instance, {tick, attempt, at} each, the one that has waited longest first.
local function writeHandoffs(record, waiting)
  if #waiting == 0 then
    redis.call('HDEL', record, 'handed')
  else
    redis.call('HSET', record, 'handed', cjson.encode(waiting))
  end
end
