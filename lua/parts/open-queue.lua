-- Looks at the five keys of a fair lock before the first write: one of another type is refused by its name, and noted as `wrong`.
-- Notes the store's time as `now`, in ms.
local function openQueue(fair)
  if not isWhole(fair.margin, 0, 3600000) then
    error({err = 'ERR the margin is out of range'})
  end
  local kinds = {lock = 'hash', queue = 'list', timeout = 'zset', waits = 'hash', alive = 'zset'}
  for part, expected in pairs(kinds) do
    local kind = redis.call('TYPE', fair[part]).ok
    if kind ~= 'none' and kind ~= expected then
      fair.wrong = fair[part]
      error({err = 'WRONGTYPE ' .. fair.wrong .. ' is not a ' .. expected})
    end
  end
  local time = redis.call('TIME')
  fair.now = time[1] * 1000 + math.floor(time[2] / 1000)
end
