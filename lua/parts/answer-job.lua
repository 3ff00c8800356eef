-- The reply to an asker that is not granted: {code, store's time, wait, mark, listen, rows}, as tick/claim.lua has it.
local function answerJob(job, code)
  local listen = job.request.id or not job.paused and (job.offer or job.queued)
  local wait = (listen or job.asker.onCrash == 'retry' and job.runner) and redis.call('PTTL', job.lock) or -2
  -- Without a listener no message tells that a longer re-entry of the run has ended: then the lease is that of the run again.
  wait = listen and wait or math.min(wait, job.asker.lease)
  -- A lease that ends in this millisecond is one to wait for, too.
  wait = wait == -2 and 0 or wait == 0 and 1 or wait
  return {code, job.at, wait, job.mark or 0, listen and 1 or 0, job.rows}
end
