-- The reply row for a job of which one key has another type; nil when all are right. A script that fails midway is not
-- rolled back: whatever may be wrong is refused before the first write.
local function mistyped(lock, record, runs)
  for key, expected in pairs({[lock] = 'hash', [record] = 'hash', [runs] = 'list'}) do
    local kind = redis.call('TYPE', key).ok
    if kind ~= 'none' and kind ~= expected then
      return {-1, 'WRONGTYPE ' .. key .. ' is not a ' .. expected, kind}
    end
  end
  return nil
end
