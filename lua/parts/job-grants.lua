-- What a claim of a run is granted, or answered.

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

-- The reply to an asker that is granted: {1, store's time, token, attempt, tick, rows}; for a request that the run has to serve when it
-- begins, followed by its id and the instant until which it waits.
local function answerGrant(job, token, attempt, tick, request)
  local reply = {1, job.at, token, attempt, tick, job.rows}
  if request then
    reply[7], reply[8] = request.id, tonumber(request['until']) or 0
  end
  return reply
end

-- Gives the free lock of a job to the asker for a run, and notes the run in the record. Its token is the time in microseconds, or
-- more where the last one was ahead of it. Answers {1, store's time, token, attempt, tick, rows}, and for a `request` its id and its end.
-- `by` is the instance that asked by hand for a run whose request is served. Under 'retry' the instances of a job with a channel are
-- notified: one of them has to claim when the lease is over.
local function grantRun(job, tick, attempt, request, by)
  local record, asker, time = job.record, job.asker, job.time
  redis.call('HSETNX', record, 'v', '1')
  keepHistory(record, asker.history)
  local offer = job.offer
  if offer and not offer.place and (tick ~= offer.tick or attempt ~= offer.attempt) then
    -- What has to be run again is not what is granted: it waits, for its run is written down as over.
    table.insert(job.handed, {tick = offer.tick, attempt = offer.attempt, crashes = offer.crashes, at = job.at, by = offer.by})
    writeHandoffs(record, job.handed)
  end
  closeDead(job, request)
  redis.call('HSET', job.lock, asker.holder, 1)
  redis.call('PEXPIRE', job.lock, asker.lease)
  local last = tonumber(redis.call('HGET', record, 'token')) or 0
  local token = string.format('%.0f', math.max(last + 1, time[1] * 1000000 + time[2]))
  local run = {tick = tick, outcome = 'running', attempt = attempt, start = job.at, token = token}
  run.app, run.instance = asker.app, asker.instance
  run.requestedBy = by
  -- Of one that an older version has handed over it is not known how many have crashed: openJob counts its attempts.
  run.crashes = 0
  if offer and tick == offer.tick and attempt == offer.attempt then
    run.crashes = offer.crashes
  end
  if request then
    -- `request` stands in the run until it has begun.
    run.requestedBy, run.request, run['until'] = request.by, request.id, tonumber(request['until'])
  end
  redis.call('HSET', record, 'token', token, 'holder', asker.holder, 'run', cjson.encode(run))
  if asker.onCrash == 'retry' and asker.jobs ~= '' then
    publishMessage(asker.publish, asker.jobs, 'look')
  end
  return answerGrant(job, token, attempt, tick, request)
end

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
