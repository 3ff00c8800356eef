-- How many rows of a job are kept: 50, unless its record has another number.
local function historyOf(record)
  local history = tonumber(redis.call('HGET', record, 'history'))
  return isWhole(history, 10, 10000) and history or 50
end
