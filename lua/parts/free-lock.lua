-- Deletes a read/write lock with the keys of all its read holds.
local function freeLock(lock)
  local fields = redis.call('HGETALL', lock)
  for at = 1, #fields, 2 do
    dropHolds(lock, fields[at], 1, tonumber(fields[at + 1]) or 0)
  end
  redis.call('DEL', lock)
end
