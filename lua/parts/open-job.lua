-- What Redis has of a job now, for an asker {holder, lease, app, instance, onCrash, attempts, grace, period, history, publish, jobs}. `offer` is what has to be run again
-- before any newer tick: the run that died, under 'retry'; or what was handed over, under 'skip' for no longer than the grace. `by` is the
-- instance that asked for it by hand.
local function openJob(lock, record, runs, asker)
  local time = redis.call('TIME')
  local function field(name)
    return redis.call('HGET', record, name)
  end
  local job = {lock = lock, record = record, runs = runs, asker = asker, rows = {}, time = time}
  job.at = time[1] * 1000 + math.floor(time[2] / 1000)
  job.mark = tonumber(field('mark'))
  job.runner = field('holder')
  job.running = job.runner and redis.call('HEXISTS', lock, job.runner) == 1
  -- The run under way, or the one that died: {} when it cannot be read.
  job.run = rowOf(field('run'))
  job.held = redis.call('EXISTS', lock) == 1
  job.paused = field('paused')
  job.queued = tonumber(field('queued'))
  job.request = rowOf(field('request'))
  job.handed = rowOf(field('handed'))
  local retry, died = asker.onCrash == 'retry', tonumber(job.run.tick)
  -- A run that was asked for, and has not begun as far as anybody knows, is run again only for a request that still waits.
  local asked = job.run.request
  local waits = asked and asked == job.request.id and job.at <= (tonumber(job.request['until']) or 0)
  if retry and job.runner and not job.running and died and (waits or not asked) then
    local attempt = tonumber(job.run.attempt) or 1
    -- Of a run that an older version has begun each earlier attempt counts as crashed.
    local crashes = (tonumber(job.run.crashes) or attempt - 1) + 1
    if not asker.attempts or crashes < asker.attempts then
      job.offer = {tick = died, attempt = attempt + 1, crashes = crashes, request = waits and job.request or nil}
      job.offer.by = job.run.requestedBy
      return job
    end
    job.abandoned = crashes
  end
  for place, handed in ipairs(job.handed) do
    if retry or job.at - handed.at < asker.grace then
      job.offer = {tick = handed.tick, attempt = handed.attempt, crashes = handed.crashes, place = place, by = handed.by}
      return job
    end
  end
  return job
end
