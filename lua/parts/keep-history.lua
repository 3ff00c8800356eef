-- Notes in the record how many rows of a job are kept, where that is another number than before: what adds a row later, also in a process
-- that does not have the job, keeps as many. Nothing is noted for an asker without a number.
local function keepHistory(record, history)
  if history and history ~= historyOf(record) then
    redis.call('HSET', record, 'history', string.format('%.0f', history))
  end
end
