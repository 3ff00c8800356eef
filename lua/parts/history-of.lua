-- How many rows of a job are kept: 50, unless its record has a larger number. Never fewer: a repeated `finish` finds its run by the row.
local function historyOf(record)
  local history = tonumber(redis.call('HGET', record, 'history'))
  return isWhole(history, 50, 10000) and history or 50
end
