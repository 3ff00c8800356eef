-- Writes down that the last run of a job died, if it did. A request that it was granted for, and that it was not known to have begun
-- for, is over with it, unless the asker is granted that same `request`.
local function closeDead(job, request)
  if not job.runner or job.running then
    return
  end
  local asked = job.run.request
  if asked and asked == job.request.id and not (request and request.id == asked) then
    redis.call('HDEL', job.record, 'request')
    job.request = {}
  end
  job.run.request, job.run.crashes = nil, nil
  if job.run.tick then
    job.run.outcome, job.run.reason = 'crashed', 'the lease ended before the run did'
    if job.abandoned then
      job.run.outcome = 'abandoned'
      job.run.reason = string.format('%d runs of the tick have crashed, and maxAttempts allows no more', job.abandoned)
    end
    job.rows[#job.rows + 1] = addRow(job.record, job.runs, job.run)
  end
  redis.call('HDEL', job.record, 'holder', 'run')
  job.runner = nil
end
