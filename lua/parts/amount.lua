-- Reads a key that counts, or nil where there is none. What is no plain integer is refused, before anything is written.
local function amount(key)
  local value = redis.call('GET', key)
  if not value then
    return nil
  end
  if not string.match(value, '^%-?%d+$') or not isWhole(tonumber(value), -9007199254740991, 9007199254740991) then
    error({err = 'ERR the value of the key is not an integer, or out of range'})
  end
  return tonumber(value)
end
