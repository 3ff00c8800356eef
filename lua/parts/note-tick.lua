-- Adds the row of a tick that is not run. Overlapped ticks in a row with one reason share a row, so that a long run does not push what was
-- before it out of the newest rows. count: of the ticks that the row is about, nil where that is one, or unknown.
local function noteTick(job, tick, outcome, reason, after, count)
  if outcome == 'overlapped' then
    local last = rowOf(redis.call('LINDEX', job.runs, 0) or '')
    local before = tonumber(last.tick)
    if last.outcome == outcome and last.reason == reason and before and before < tick then
      after = tonumber(last.after) or before - 1
      count = (tonumber(last.count) or 1) + 1
      redis.call('LTRIM', job.runs, 1, -1)
    end
  end
  local row = {tick = tick, outcome = outcome, reason = reason, after = after, count = count, attempt = 0, start = job.at}
  row.app, row.instance = job.asker.app, job.asker.instance
  job.rows[#job.rows + 1] = addRow(job.record, job.runs, row)
end
