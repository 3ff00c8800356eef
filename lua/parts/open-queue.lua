-- Looks at the five keys of a fair lock before the first write: one of another type is refused by its name. `margin` is how
-- long before its time a waiter shows that it lives. Also notes the store's time, in ms.
local function openQueue(fair)
  if not whole(fair.margin, 0, 3600000) then
    error({err = 'ERR the margin is out of range'})
  end
  local kinds = {lock = 'hash', queue = 'list', timeout = 'zset', waits = 'hash', alive = 'zset'}
  for part, expected in pairs(kinds) do
    local kind = redis.call('TYPE', fair[part]).ok
    if kind ~= 'none' and kind ~= expected then
      error({err = 'WRONGTYPE ' .. fair[part] .. ' is not a ' .. expected, key = fair[part]})
    end
  end
  local time = redis.call('TIME')
  fair.now = time[1] * 1000 + math.floor(time[2] / 1000)
end
