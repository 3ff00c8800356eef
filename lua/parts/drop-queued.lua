-- Writes down that the queued tick of a job, if there is one, is not run.
local function dropQueued(job)
  if job.queued then
    noteTick(job, job.queued, 'overlapped', 'a newer tick came before the lock was free')
    redis.call('HDEL', job.record, 'queued')
    job.queued = nil
  end
end
