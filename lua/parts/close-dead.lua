-- Writes down that the last run of a job died, if it did.
local function closeDead(job)
  if not job.runner or job.running then
    return
  end
  if job.run.tick then
    job.run.outcome, job.run.reason = 'crashed', 'the lease ended before the run did'
    job.rows[#job.rows + 1] = addRow(job.record, job.runs, job.run)
  end
  redis.call('HDEL', job.record, 'holder', 'run')
  job.runner = nil
end
