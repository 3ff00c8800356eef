-- Adds a row to the newest ones of a job, of which it keeps as many as the record says, and counts its outcome in the record. Answers the row as JSON; nil for one that is none.
local function addRow(record, runs, row)
  local ran, entry = pcall(cjson.encode, row)
  if not ran then
    return nil
  end
  redis.call('LPUSH', runs, entry)
  redis.call('LTRIM', runs, 0, historyOf(record) - 1)
  if string.find(' completed failed crashed abandoned overlapped missed ', ' ' .. row.outcome .. ' ', 1, true) then
    -- A field of that name that is no number is not ours, and must not stop what has begun.
    redis.pcall('HINCRBY', record, row.outcome, row.outcome == 'missed' and row.count or 1)
  end
  return entry
end
