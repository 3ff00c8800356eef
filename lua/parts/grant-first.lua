-- What comes before anything newer: a grant whose reply was lost, given again; and what has to be run again. Nothing is written
-- while another holder has the lock: the reply says when to ask again. Nil where there is nothing.
local function grantFirst(job)
  local record, asker = job.record, job.asker
  if job.running and job.runner == asker.holder then
    -- The caller counts its lease from this call, not from the one whose reply it never had.
    if redis.call('PTTL', job.lock) < asker.lease then
      redis.call('PEXPIRE', job.lock, asker.lease)
    end
    local attempt, tick = tonumber(job.run.attempt) or 1, tonumber(job.run.tick) or job.mark or 0
    local asked = job.run.request
    local request = asked and {id = asked, ['until'] = asked == job.request.id and job.request['until'] or 0}
    return answerGrant(job, redis.call('HGET', record, 'token'), attempt, tick, request)
  end
  -- What is asked for by hand is run while the job is paused, too.
  if not job.offer or job.paused and not job.offer.request then
    return nil
  end
  if job.held then
    return answerJob(job, 2)
  end
  if job.offer.place then
    table.remove(job.handed, job.offer.place)
    writeHandoffs(record, job.handed)
  end
  return grantRun(job, job.offer.tick, job.offer.attempt, job.offer.request, job.offer.by)
end
