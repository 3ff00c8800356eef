-- Adds the row of a tick that is not run.
local function noteTick(job, tick, outcome, reason, after)
  local row = {tick = tick, outcome = outcome, reason = reason, after = after, attempt = 0, start = job.at}
  row.app, row.instance = job.asker.app, job.asker.instance
  job.rows[#job.rows + 1] = addRow(job.record, job.runs, row)
end
