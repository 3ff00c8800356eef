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
    run.requestedBy, run.request = request.by, request.id
  end
  redis.call('HSET', record, 'token', token, 'holder', asker.holder, 'run', cjson.encode(run))
  if asker.onCrash == 'retry' and asker.jobs ~= '' then
    publishMessage(asker.publish, asker.jobs, 'look')
  end
  return answerGrant(job, token, attempt, tick, request)
end
